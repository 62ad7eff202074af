"""Documents between TREC's tags `<DOC>` and `</DOC>`."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence

from campaigns.trec.documents_checks import TEXT_CHARACTERS, RawDocument
from campaigns.trec.problems import refuse
from campaigns.trec.topics_checks import squeezed

DOC = re.compile(r"\s*<DOC(?:\s+|\s[^<>=]*=[^<>]*)?>", re.IGNORECASE)
DOC_TAG = re.compile(r"<(?:DOC(?:\s+|\s[^<>=]*=[^<>]*)?|(/)DOC\s*)>", re.IGNORECASE)
ID_OF_DOC = re.compile(r"\s(?:id|docno)\s*=\s*([\"'])(.*?)\1", re.IGNORECASE)
TITLE_NAMES = ("title", "headline", "ti", "hl", "head", "doctitle")
# Outside <TEXT>, in collections of newspapers: shown before the text, and after it.
LEAD_NAMES = ("byline", "dateline", "lp", "leadpara", "summary", "abstract")
REMARK_NAMES = ("caption", "graphic", "correction")
ELEMENTS = {
    name: (
        re.compile(rf"<{name}(?:\s[^<>]*)?>", re.IGNORECASE),
        re.compile(rf"</{name}\s*>", re.IGNORECASE),
    )
    for name in ("docno", "text", "body", *TITLE_NAMES, *LEAD_NAMES, *REMARK_NAMES)
}
BREAK = re.compile(r"<(?:/?P|BR|/H\d|/LI)\b[^<>]{0,200}>", re.IGNORECASE)
TAG = re.compile(r"</?([A-Za-z][^<>]*)>")
# Of HTML. Other attributes have a value, so that "a<b then c>d" stays a text.
FLAGS = {"nowrap", "noshade", "checked", "selected", "disabled", "compact", "ismap", "/"}
OPENED = re.compile(r"<([A-Za-z]+)")
PARAGRAPHS = re.compile(r"\n{2,}")


def trec_documents(lines: Iterator[tuple[int, str]]) -> Iterator[RawDocument]:
    """The documents between `<DOC>` and `</DOC>`, of which a line may have several."""
    start, opening, kept, size = 0, "", list[str](), 0
    for number, line in lines:
        at = 0
        for tag in DOC_TAG.finditer(line) if "<" in line else ():
            before, at = line[at : tag.start()], tag.end()
            if not start:
                _refuse_text_outside(before if not tag[1] else line, number)
                start, opening, kept, size = number, tag[0], [], 0
            elif not tag[1]:
                refuse("UNCLOSED", f"the document of line {start} has no </DOC>", number)
            else:
                yield _trec_document(start, opening, "\n".join([*kept, before]))
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
    if text.strip():
        message = "there is text outside <DOC> and </DOC>: remove it"
        refuse("FIELDS", message, line, text.strip())


def _trec_document(line: int, opening: str, body: str) -> RawDocument:
    """Its id may be an attribute of `<DOC>`, as in collections of NTCIR."""
    body = _replaced(body, "<![CDATA[", "]]>", html.escape)
    body = _replaced(body, "<!--", "-->", lambda comment: " ")
    numbers, body = _taken_out(body, "docno")
    if len(numbers) > 1:
        message = "the document has two ids: a </DOC> is missing, or one <DOCNO> is too many"
        refuse("FIELDS", message, line, plain_text(numbers[1]).strip())
    if not numbers and (attribute := ID_OF_DOC.search(opening)):
        numbers = [attribute[2]]
    titles, body = _all_taken_out(body, TITLE_NAMES)
    texts, rest = _taken_out(body, "text")
    if texts:
        leads, rest = _all_taken_out(rest, LEAD_NAMES)
        remarks, rest = _all_taken_out(rest, REMARK_NAMES)
        bodies, _ = _taken_out(body, "body")
        beside = [each for each in bodies if not ELEMENTS["text"][0].search(each)]
        texts = [*titles[1:], *leads, *texts, *beside, *remarks]
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
    text = html.unescape(TAG.sub(_without_tag, BREAK.sub("\n\n", markup)))
    lines = "\n".join(line.strip() for line in text.split("\n"))
    paragraphs = (paragraph.replace("\n", " ") for paragraph in PARAGRAPHS.split(lines))
    return "\n\n".join(filter(None, paragraphs))


def _without_tag(found: re.Match[str]) -> str:
    _, *attributes = found[1].lower().split()
    return " " if "=" in found[1] or FLAGS.issuperset(attributes) else found[0]
