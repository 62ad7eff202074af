"""How to cite a leaderboard, its snapshot, or a package of its data: as text, for BibTeX, and as
CITATION.cff."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from scoring.citations.authors import Author
from scoring.output.latex import ESCAPES

NAMED: Final = 10  # authors in a text

# BibTeX counts every brace, also an escaped one.
BIBTEX_ESCAPES: Final = ESCAPES | str.maketrans(
    {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
)


@dataclass(frozen=True, kw_only=True)
class Citation:
    key: str  # of the entry for BibTeX
    title: str
    authors: tuple[Author, ...]
    day: date
    qrels: int  # version
    definitions: str
    url: str = ""
    doi: str = ""
    doi_url: str = ""
    is_live: bool = False  # the leaderboard itself, which may change
    run: str = ""  # that is cited, with its team

    def of_run(self, name: str, team: str, public_id: str) -> "Citation":
        return replace(self, run=f"{name}, {team}", key=f"{self.key}-{public_id}")

    @property
    def text(self) -> str:
        """Without the link."""
        run = f"{self.run}. In: " if self.run else ""
        names = ", ".join(author.full_name for author in self.authors[:NAMED])
        more = " et al." if len(self.authors) > NAMED else ""
        # A title names the campaign, and so the organisers that stand in for authors.
        by = f"{names}{more} ({self.day:%Y}). " if self.authors[0].is_listed else ""
        when = f"{self.day.day} {self.day:%B %Y}"
        return f"{run}{by}{one_line(self.title)}. Leaderboard as of {when}, qrels v{self.qrels}."

    @property
    def link(self) -> str:
        """The DOI, if there is one."""
        return self.doi_url or self.url

    @property
    def bibtex(self) -> str:
        """An entry for BibTeX and biblatex."""
        run = f"Run: {self.run}. " if self.run else ""
        fields = {
            "author": " and ".join(map(_bibtex_name, self.authors)),
            # Braces keep the capitals of a title, which styles of BibTeX would lower.
            "title": f"{{{_escaped(self.title)}}}",
            "year": f"{self.day:%Y}",
            "version": f"qrels v{self.qrels}",
            "doi": _escaped(self.doi),
            "url": self.url,
            "urldate": f"{self.day:%Y-%m-%d}" if self.is_live else "",
            "note": _escaped(f"{run}Definitions {self.definitions}"),
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@dataset{{{self.key},\n{lines}}}\n"

    def cff(self, further: Mapping[str, str]) -> str:
        """CITATION.cff; JSON strings are valid YAML."""
        lines = {
            "cff-version": "1.2.0",
            "message": "Please cite the data you used as follows.",
            "type": "dataset",
            "title": one_line(self.title),
            "version": f"qrels v{self.qrels}, definitions {self.definitions}",
            "date-released": f"{self.day:%Y-%m-%d}",
            "url": self.url,
            **further,
        }
        text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items() if value)
        return f"{text}authors:\n" + "".join(map(_cff_author, self.authors))


def one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return one_line(text).translate(BIBTEX_ESCAPES)


def _bibtex_name(author: Author) -> str:
    """Braces prevent BibTeX from dividing the name of an organisation, and one with an "and"."""
    name = f"{author.family}, {author.given}" if author.is_person else author.family
    is_whole = not author.is_person or re.search(r"\band\b", name, re.IGNORECASE)
    return f"{{{_escaped(name)}}}" if is_whole else _escaped(name)


def _cff_author(author: Author) -> str:
    facts = (
        {"family-names": author.family, "given-names": author.given}
        if author.is_person
        else {"name": author.family}
    )
    if author.is_person and author.affiliation:
        facts["affiliation"] = author.affiliation
    if author.orcid:
        facts["orcid"] = author.orcid_url
    lines = [f"{key}: {json.dumps(value)}\n" for key, value in facts.items()]
    # In YAML, a dash begins an entry of a list, and its further lines are indented as far.
    return "  - " + "    ".join(lines)
