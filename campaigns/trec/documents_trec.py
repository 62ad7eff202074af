"""Documents between TREC's tags `<DOC>` and `</DOC>`."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence

from campaigns.trec.documents_checks import TEXT_CHARACTERS, RawDocument
from campaigns.trec.problems import ProblemList, refuse, shown
from campaigns.trec.topics_checks import squeezed

DOC_TAG = re.compile(r"<(?:DOC(?:\s+|\s[^<>=]*=[^<>]*)?|(/)DOC\s*)>", re.IGNORECASE)
ID_OF_DOC = re.compile(
    r"\s(?:id|docno|no)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))", re.IGNORECASE
)
TITLE_NAMES = ("title", "headline", "ti", "hl", "head", "doctitle")
# Outside <TEXT>, in collections of newspapers: shown before the text, and after it.
LEAD_NAMES = ("byline", "dateline", "lp", "leadpara", "summary", "abstract")
REMARK_NAMES = ("caption", "graphic", "correction")
HIDDEN_NAMES = ("script", "style", "dochdr")  # of pages of the web: nobody reads them
ELEMENTS = {
    name: (
        re.compile(rf"<{name}(?:\s[^<>]*)?>", re.IGNORECASE),
        re.compile(rf"</{name}\s*>", re.IGNORECASE),
    )
    for name in (
        "docno",
        "docid",
        "text",
        "body",
        *HIDDEN_NAMES,
        *TITLE_NAMES,
        *LEAD_NAMES,
        *REMARK_NAMES,
    )
}
BREAK = re.compile(r"<(?:/?P|BR|/H\d|/LI)\b[^<>]{0,200}>", re.IGNORECASE)
TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9_.-]*)(\s[^<>]*|/)?>")
# Other attributes than these of HTML have a value, so that "a<b then c>d" stays a text.
FLAGS = {"nowrap", "noshade", "checked", "selected", "disabled", "compact", "ismap", "/"}
# Of HTML, which do not separate words.
INLINE = {
    "a", "abbr", "acronym", "b", "big", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "font",
    "i", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong",
    "sub", "sup", "tt", "u", "var", "wbr",
}  # fmt: skip
HTML = INLINE | {
    "address", "article", "aside", "blockquote", "body", "br", "button", "caption", "center",
    "col", "dd", "details", "dir", "div", "dl", "dt", "fieldset", "figure", "footer", "form",
    "frame", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "img",
    "input", "legend", "li", "link", "main", "map", "menu", "meta", "nav", "nobr", "noscript",
    "object", "ol", "option", "p", "param", "pre", "section", "select", "summary", "table",
    "tbody", "td", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "ul", "video",
}  # fmt: skip
DOCTYPE = re.compile(r"<!DOCTYPE[^<>]*>", re.IGNORECASE)
# Around all documents: their tags, an XML declaration, comments.
AROUND = re.compile(r"<[^<>]*>")
CLOSED = re.compile(r"</([A-Za-z][A-Za-z0-9_.-]*)\s*>")
OPENED = re.compile(r"<([A-Za-z]+)")
PARAGRAPHS = re.compile(r"\n{2,}")


def trec_documents(
    lines: Iterator[tuple[int, str]], findings: ProblemList
) -> Iterator[RawDocument]:
    """The documents between `<DOC>` and `</DOC>`, of which a line may have several. Tags around all
    of them are left out. What is left out of documents goes to `findings` as a warning."""
    start, opening, kept, size = 0, "", list[str](), 0
    # The tags are found by lines, so that a problem has a line and a long document can be refused
    # early.
    for number, line in lines:
        at = 0
        for tag in DOC_TAG.finditer(line) if "<" in line else ():
            before, at = line[at : tag.start()], tag.end()
            if not start:
                _refuse_text_outside(before, number)
                if tag[1]:
                    refuse("FIELDS", "there is a </DOC> without a <DOC>: remove it", number)
                start, opening, kept, size = number, tag[0], [], 0
            elif not tag[1]:
                refuse("UNCLOSED", f"the document of line {start} has no </DOC>", number)
            else:
                yield _trec_document(start, opening, "\n".join([*kept, before]), findings)
                start = 0
        rest = line[at:]
        if not start:
            _refuse_text_outside(rest, number)
            continue
        kept.append(rest)
        size += len(rest)
        if size > 4 * TEXT_CHARACTERS:
            refuse("TOO_BIG", f"the document is longer than {4 * TEXT_CHARACTERS:,} bytes", start)
    if start:
        refuse("UNCLOSED", f"the document of line {start} has no </DOC>", start)


def _refuse_text_outside(text: str, line: int) -> None:
    if AROUND.sub("", text).strip():
        message = "there is text outside <DOC> and </DOC>: remove it, or write these tags around it"
        refuse("FIELDS", message, line, text.strip())


def _trec_document(line: int, opening: str, body: str, findings: ProblemList) -> RawDocument:
    """Its id may be an attribute of `<DOC>`, as in collections of NTCIR."""
    # CDATA is text: its signs are escaped, so that they are not taken for tags below.
    body = _replaced(body, "<![CDATA[", "]]>", html.escape)
    body = DOCTYPE.sub(" ", _replaced(body, "<!--", "-->", lambda comment: " "))
    # Before the ids: a script may have the text of a tag.
    _, body = _all_taken_out(body, HIDDEN_NAMES)
    numbers, body = _taken_out(body, "docno")
    if len(numbers) > 1:
        message = "the document has two ids: a </DOC> is missing, or one <DOCNO> is too many"
        refuse("FIELDS", message, line, plain_text(numbers[1]).strip())
    others, body = _taken_out(body, "docid")
    if not numbers and (attribute := ID_OF_DOC.search(opening)):
        numbers = [next(filter(None, attribute.groups()), "")]
    numbers = numbers or others
    titles, body = _all_taken_out(body, TITLE_NAMES)
    texts, rest = _taken_out(body, "text")
    if texts:
        leads, rest = _all_taken_out(rest, LEAD_NAMES)
        remarks, rest = _all_taken_out(rest, REMARK_NAMES)
        bodies, rest = _taken_out(rest, "body")  # beside the text or around it
        texts = [*titles[1:], *leads, *texts, *bodies, *remarks]
        if plain_text(rest):
            outside = ", ".join(f"<{name}>" for name in dict.fromkeys(OPENED.findall(rest)))
            message = "what {n} {document has|documents have} outside <TEXT> is left out, such as "
            outside = shown(outside) or "text without a tag"
            findings.warn("LEFT_OUT", message + outside, line=line)
    return RawDocument(
        line=line,
        doc_id=plain_text(numbers[0]).strip() if numbers else "",
        title=squeezed(plain_text(titles[0])) if titles else "",
        text=plain_text("\n\n".join(texts) if texts else "\n\n".join([*titles[1:], rest])),
    )


def _replaced(markup: str, begin: str, end: str, replacement: Callable[[str], str]) -> str:
    """The markup with each part between these marks replaced. One that is not closed stays."""
    first, *parts = markup.split(begin)
    replaced = [first]
    for part in parts:
        inside, found, rest = part.partition(end)
        replaced += [replacement(inside), rest] if found else [begin, part]
    return "".join(replaced)


def _all_taken_out(body: str, names: Sequence[str]) -> tuple[list[str], str]:
    """The contents of the elements of these names, name by name, and the body without them."""
    contents: list[str] = []
    # Most documents have few of these names: a search for each would read the body that many times.
    present = {name.lower() for name in OPENED.findall(body)}
    for name in filter(present.__contains__, names):
        found, body = _taken_out(body, name)
        contents += found
    return contents, body


def _taken_out(body: str, name: str) -> tuple[list[str], str]:
    """The contents of the elements of this name, and the body without them."""
    begin, end = ELEMENTS[name]
    found, rest, at = list[str](), list[str](), 0
    while (start := begin.search(body, at)) and (stop := end.search(body, start.end())):
        found.append(body[start.end() : stop.start()])
        rest.append(body[at : start.start()])
        at = stop.end()
    return found, " ".join([*rest, body[at:]])


def plain_text(markup: str) -> str:
    """The text without tags and line breaks. Blank lines, which separate paragraphs, are kept."""
    # An unknown name in lower case and without attributes is a tag only if it is closed somewhere.
    closed = {name.lower() for name in CLOSED.findall(markup)}

    def without_tag(found: re.Match[str]) -> str:
        name, rest = found[1].lower(), found[2] or ""
        is_known = name in HTML or name in closed or found[1].isupper() or "=" in rest
        if not is_known or ("=" not in rest and not FLAGS.issuperset(rest.lower().split())):
            return found[0]
        return "" if name in INLINE else " "

    text = html.unescape(TAG.sub(without_tag, BREAK.sub("\n\n", markup)))
    lines = "\n".join(line.strip() for line in text.split("\n"))
    paragraphs = (paragraph.replace("\n", " ") for paragraph in PARAGRAPHS.split(lines))
    return "\n\n".join(filter(None, paragraphs))
