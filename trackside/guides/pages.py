"""The pages of the guides, rendered once per process.

`docs/README.md` is their table of contents: its sections say which pages there are, and in which
order. The section for developers is left out. Unlike text that people write on the site, these
files are part of the program, so their HTML is not sanitized.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from django.conf import settings
from django.urls import reverse
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

CONTENTS: Final = "README"
NOT_FOR_USERS: Final = "Developing"
EXTERNAL: Final = re.compile(r"[a-z]+:")


class _Renderer(RendererHTML):
    """Wide tables scroll sideways, also with the keyboard."""

    def table_open(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        number = env["tables"] = env.get("tables", 0) + 1
        table = self.renderToken(tokens, index, options, env)
        label = f"Table {number}"
        return f'<div class="sideways" role="region" tabindex="0" aria-label="{label}">{table}'

    def table_close(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        return self.renderToken(tokens, index, options, env) + "</div>"


_PARSER: Final = MarkdownIt("commonmark", {"html": True}, renderer_cls=_Renderer).enable("table")


@dataclass(frozen=True)
class Section:
    """The text below one heading, for the search."""

    heading: str
    anchor: str
    text: str


@dataclass(frozen=True)
class Guide:
    name: str  # in URLs; that of the file without .md
    title: str
    summary: str  # what the table of contents says about it
    html: str
    headings: tuple[tuple[str, str], ...]  # anchor and text of those of level 2
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Chapter:
    """A section of the table of contents."""

    title: str
    guides: tuple[Guide, ...]


def docs_folder() -> Path:
    return Path(settings.BASE_DIR) / "docs"


def _text(name: str) -> str:
    return (docs_folder() / f"{name}.md").read_text(encoding="utf-8")  # in any locale


@cache
def chapters() -> tuple[Chapter, ...]:
    entries = _entries()
    return tuple(
        Chapter(title, tuple(_guide(name, summary) for name, summary in pages))
        for title, pages in entries.items()
    )


@cache
def guides() -> dict[str, Guide]:
    return {guide.name: guide for chapter in chapters() for guide in chapter.guides}


@cache
def files() -> dict[str, Path]:
    """The files to which a guide links, such as examples, by their path in `docs`."""
    folder = docs_folder()
    targets = {
        target
        for pages in _entries().values()
        for name, _ in pages
        for target in re.findall(r"\]\(([^)\s]+)\)", _text(name))
        if not EXTERNAL.match(target) and ".md" not in target
    }
    return {target: folder / target for target in targets if (folder / target).is_file()}


# --- the table of contents ---------------------------------------------------------------------


@cache
def _entries() -> dict[str, list[tuple[str, str]]]:
    """Name and summary of each page, by the section that lists it."""
    entries: dict[str, list[tuple[str, str]]] = {}
    section = ""
    # An item that continues on the next line becomes one line.
    text = re.sub(r"\n  +", " ", _text(CONTENTS))
    for line in text.splitlines():
        if heading := re.fullmatch(r"\*\*(.+)\*\*", line):
            section = heading[1]
        elif item := re.match(r"- \[[^]]+\]\(([\w-]+)\.md\)(?:: (.+))?", line):
            summary = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", item[2] or "")
            entries.setdefault(section, []).append((item[1], summary))
    entries.pop(NOT_FOR_USERS, None)
    return entries


# --- one page ------------------------------------------------------------------------------------


def _guide(name: str, summary: str) -> Guide:
    tokens = _PARSER.parse(_text(name))
    first = next(n for n, token in enumerate(tokens) if token.type == "heading_open")
    title = tokens[first + 1].content
    del tokens[: first + 3]  # the template writes this heading
    sections = _sections(tokens, title)
    _adapt(tokens)
    return Guide(
        name=name,
        title=title,
        summary=summary[:1].upper() + summary[1:],
        html=_PARSER.renderer.render(tokens, _PARSER.options, {}),
        headings=tuple(
            (str(opening.attrs["id"]), inline.content.replace("`", ""))
            for opening, inline in pairwise(tokens)
            if opening.type == "heading_open" and opening.tag == "h2"
        ),
        sections=tuple(sections),
    )


def anchor_of(heading: str) -> str:
    """As GitHub makes it, so that links work there and here."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _sections(tokens: list[Token], title: str) -> list[Section]:
    sections: list[Section] = []
    heading, anchor, texts = title, "", list[str]()
    # The text of a heading is the token after the one that opens it.
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before and before.type == "heading_open":
            sections.append(Section(heading, anchor, " ".join(texts)))
            heading, anchor, texts = _plain(token), anchor_of(token.content), []
        elif token.type == "inline":
            texts.append(_plain(token))
        elif token.type == "fence":
            texts.append(token.content)
    return [*sections, Section(heading, anchor, " ".join(texts))]


def _plain(token: Token) -> str:
    shown = (child for child in token.children or () if child.type != "html_inline")
    return "".join(" " if child.type == "softbreak" else child.content for child in shown)


def _adapt(tokens: list[Token]) -> None:
    """Gives headings their anchors, replaces the styles that the content security policy forbids,
    and leads links to the pages of this site."""
    for token, content in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and content:
            token.attrSet("id", anchor_of(content.content))
        elif str(token.attrs.pop("style", "")).endswith("right"):
            token.attrSet("class", "num")
        token.children = [*_with_urls(token.children or ())] or None


def _with_urls(children: Iterable[Token]) -> Iterator[Token]:
    """Links to pages that are not on the site become text."""
    url: str | None = None
    for child in children:
        if child.type == "image":
            child.attrSet("src", _url(str(child.attrs["src"])) or "")
        if child.type == "link_open":
            url = _url(str(child.attrs["href"]))
            child.attrSet("href", url or "")
        if url is not None or child.type not in ("link_open", "link_close"):
            yield child


def _url(target: str) -> str | None:
    """Where a link of the files in `docs` leads on the site."""
    path, _, anchor = target.partition("#")
    if EXTERNAL.match(target) or not path:
        return target
    if path in files():
        return reverse("guides:file", args=[path])
    name = path.removesuffix(".md")
    if name not in {page for pages in _entries().values() for page, _ in pages}:
        return None
    return reverse("guides:guide", args=[name]) + (f"#{anchor}" if anchor else "")
