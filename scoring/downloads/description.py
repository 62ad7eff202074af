"""The metadata of a data package: Frictionless `datapackage.json`, a README and a citation."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from scoring.citations.authors import Author, organisers_of
from scoring.citations.citation import Citation, one_line
from scoring.evaluation.rules import rules_of, version_of
from scoring.output.zip import Member

Schema = Mapping[str, tuple[str, str]]  # column -> (type, description)

BOARD: Schema = {
    "rank": ("integer", "1 is best, ties share; empty: not ranked"),
    "run": ("string", "the name of the run"),
    "team": ("string", "its team"),
    "run_type": ("string", "automatic, manual or feedback"),
    "measure": ("string", "canonical name"),
    "base": ("number", "mean over topics, with unjudged documents counted as not relevant"),
    "residual": ("number", "what the unjudged documents could add; empty: no exact bound"),
    "upper": ("number", "base + residual"),
    "judged_at_10": ("number", "share of the first ten documents that are judged"),
    "topics": ("integer", "topics in the mean"),
    "qrels": ("integer", "version of the qrels"),
    "run_id": ("string", "the id in the run's URL"),
    "status": ("string", "ranked, late or disqualified"),
    "reason": ("string", "reason of a disqualification"),
    "is_baseline": ("integer", "1: the organisers mark the run as a baseline; 0: they do not"),
}
JUDGED_BY: Schema = {"judged_by": ("string", "the number of judgments by people and by programs")}
BASE_OF_PEOPLE: Schema = {
    "base_of_people": ("number", "the base under the judgments of people alone"),
}
TIDY: Schema = {
    "run": ("string", "the name of the run"),
    "team": ("string", "its team"),
    "topic": ("string", "the topic's code: text, even if it looks like a number"),
    "measure": ("string", "canonical name"),
    "value": (
        "number",
        "unjudged documents counted as not relevant; empty: not counted or not defined",
    ),
    "residual": ("number", "what the unjudged documents could add; empty: no exact bound"),
    "qrels": ("integer", "version of the qrels"),
    "definitions": ("string", "the rules of scoring, as a digest"),
    "run_sha256": ("string", "of the submitted run file; empty: not visible"),
}
KEYWORDS = ["information retrieval", "evaluation", "leaderboard"]
LICENCE_URLS = {
    Campaign.Licence.CC_BY: "https://creativecommons.org/licenses/by/4.0/",
    Campaign.Licence.CC0: "https://creativecommons.org/publicdomain/zero/1.0/",
    Campaign.Licence.CC_BY_SA: "https://creativecommons.org/licenses/by-sa/4.0/",
    Campaign.Licence.CC_BY_NC: "https://creativecommons.org/licenses/by-nc/4.0/",
    Campaign.Licence.CC_BY_NC_SA: "https://creativecommons.org/licenses/by-nc-sa/4.0/",
    Campaign.Licence.ODBL: "https://opendatacommons.org/licenses/odbl/1-0/",
}


@dataclass(frozen=True)
class About:
    """Facts about the whole package."""

    viewer: Viewer
    qrels: Qrels
    made_at: datetime
    title: str
    url: str  # may be empty
    authors: tuple[Author, ...] = ()  # of a deposit
    licence: Campaign.Licence | None = None


def licence_of(campaign: Campaign) -> Campaign.Licence | None:
    """None as long as the organisers have chosen none."""
    return Campaign.Licence(campaign.licence) if campaign.licence else None


def authors_of(about: About) -> tuple[Author, ...]:
    return about.authors or (organisers_of(about.viewer.campaign),)


def summary(about: About) -> str:
    """What the package is, in two sentences, for archives and catalogues."""
    statement = f" {one_line(about.qrels.statement)}" if about.qrels.has_program else ""
    return (
        f"Leaderboard and scores of {one_line(about.viewer.campaign.name)}. A score counts every "
        "document without a judgment as not relevant; the residual is what these documents could "
        f"add.{statement}"
    )


def board_schema(qrels: Qrels) -> Schema:
    """The columns of the leaderboards, with the sources of the judgments if a program judged."""
    return {**BOARD, **BASE_OF_PEOPLE, **JUDGED_BY} if qrels.has_program else BOARD


def scores_schema(qrels: Qrels) -> Schema:
    return {**TIDY, **JUDGED_BY} if qrels.has_program else TIDY


def table(member: Member, schema: Schema, description: str) -> dict[str, Any]:
    """A CSV among the resources."""
    fields = [
        {"name": name, "type": kind, "description": text} for name, (kind, text) in schema.items()
    ]
    return file(member, description) | {
        "profile": "tabular-data-resource",
        "format": "csv",
        "mediatype": "text/csv",
        "schema": {"fields": fields, "missingValues": [""]},
    }


def file(member: Member, description: str) -> dict[str, Any]:
    stem, _, ending = member.path.rpartition(".")
    return {
        # The specification of Data Resources demands lower case.
        "name": stem.lower(),
        "path": member.path,
        "description": description,
        "format": ending,
        "encoding": "utf-8",
        "bytes": member.size,
        "hash": f"sha256:{member.sha256}",
    }


def descriptor(about: About, resources: Sequence[Mapping[str, Any]]) -> str:
    campaign, qrels = about.viewer.campaign, about.qrels
    rules = rules_of(campaign)
    content: dict[str, Any] = {
        "profile": "data-package",
        "name": campaign.slug,
        "title": about.title,
        "created": about.made_at.isoformat(),
        "keywords": KEYWORDS,
        "trackside": {
            "campaign": campaign.slug,
            "qrels": {"version": qrels.version, "sha256": qrels.digest} | _sources(qrels),
            "definitions": rules.digest,
            "measures": [
                {"name": str(measure), "definition": version_of(measure)}
                for measure in rules.measures
            ],
            "rules": {
                "highest_grade": campaign.highest_grade,
                "rel": campaign.rel,
                "gain_map": rules.gain_map.tolist(),
                "no_relevant": campaign.no_relevant,
                "run_depth": campaign.run_depth,
                "held_out_topics": len(rules.held_out),
                "ties": "documents of equal score in descending order of their ids",
            },
        },
        "resources": list(resources),
    }
    if about.url:
        content["homepage"] = about.url
    if about.licence:
        content["licenses"] = [
            {
                "name": about.licence.value,
                "title": about.licence.label,
                "path": LICENCE_URLS[about.licence],
            }
        ]
    if about.authors:
        content["contributors"] = [
            {"title": author.full_name, "role": "author"}
            | ({"organization": author.affiliation} if author.affiliation else {})
            | ({"path": author.orcid_url} if author.orcid else {})
            for author in about.authors
        ]
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _sources(qrels: Qrels) -> dict[str, Any]:
    """Who judged, if a program did."""
    if not qrels.has_program:
        return {}
    return {
        "sources": qrels.sources,
        "statement": qrels.statement,
        "programs": qrels.provenance.get("programs", []),
    }


def readme(about: About, resources: Sequence[Mapping[str, Any]]) -> str:
    campaign, qrels = about.viewer.campaign, about.qrels
    files = "\n".join(f"- `{each['path']}`: {each['description']}" for each in resources)
    where = f"\nAvailable at {about.url}\n" if about.url else ""
    if about.licence:
        where += f"\nLicence: {about.licence.label} ({LICENCE_URLS[about.licence]})\n"
    sources = f"\n{one_line(qrels.statement)}\n" if qrels.has_program else ""
    rules = rules_of(campaign)
    count = len(rules.held_out)
    held_out = f", remove the {count} held-out topics from the qrels and run" if count else ""
    # With the campaign's rules, because the defaults of the command are those of `trec_eval`.
    gains = ",".join(f"{grade}={gain!r}" for grade, gain in enumerate(rules.gain_map.tolist()))
    flags = f"-c -l {rules.rel} --no-relevant {rules.no_relevant} --gain-map {gains}"
    command = (
        f'trackside evaluate qrels.txt run.gz -m "{rules.measures[0]}" {flags} -q --format csv'
    )
    return f"""# {one_line(about.title)}

Created {about.made_at:%-d %B %Y %H:%M} UTC from the campaign "{one_line(campaign.name)}", with
qrels version {qrels.version} (sha256 {qrels.digest}) and definitions {rules.digest}.
{sources}{where}
{files}
- `datapackage.json`: a machine-readable description of these files (Frictionless Data)
- `ro-crate-metadata.json` (RO-Crate), `croissant.json` (Croissant) and `datacite.json` (DataCite):
  the same for archives and catalogues
- `CITATION.cff`: how to cite this{_deposit_files(about)}

A score in the column `base` or `value` counts every unjudged document as not relevant. `residual`
is what the unjudged documents could add. The score lies between `base` and `base + residual`. Late
and disqualified runs are in the tables, without a rank. Anonymous teams have names that the site
chose. In CSV, a leading `'` in a text cell prevents spreadsheets from reading the text as a
formula.

To compute the same numbers from a run file and the qrels{held_out}:

    {command}
"""


def _deposit_files(about: About) -> str:
    if not about.authors:
        return ""
    return """
- `citation.bib`: the same for BibTeX
- `LICENSE.txt`: the licence

Run files are as the teams submitted them. Teams that do not share their files have none here."""


def citation_of(about: About) -> Citation:
    campaign = about.viewer.campaign
    return Citation(
        key=campaign.slug,
        title=about.title,
        authors=authors_of(about),
        day=about.made_at.date(),
        qrels=about.qrels.version,
        definitions=rules_of(campaign).digest,
        url=about.url,
    )


def citation_file(about: About) -> str:
    """CITATION.cff."""
    further = {
        "abstract": one_line(about.qrels.statement) if about.qrels.has_program else "",
        "license": about.licence.value if about.licence else "",
    }
    return citation_of(about).cff(further)


def licence_text(about: About) -> str:
    if about.licence is None:
        raise ValueError("there is no licence")
    names = ", ".join(author.full_name for author in about.authors)
    return (
        f"{one_line(about.title)}\nCopyright {about.made_at:%Y} {names}\n\n"
        f"{about.licence.label} ({about.licence.value})\n{LICENCE_URLS[about.licence]}\n"
    )
