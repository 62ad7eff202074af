"""The metadata of a data package: Frictionless `datapackage.json`, a README and a citation."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from scoring.downloads.authors import Author
from scoring.evaluation.rules import ScoringRules, rules_of, version_of
from scoring.output.zip import Member

Schema = Mapping[str, tuple[str, str]]  # column -> (type, description)

BOARD: Schema = {
    "rank": ("integer", "1 is best, ties share; empty: not ranked"),
    "run": ("string", "the run's tag"),
    "team": ("string", "its team"),
    "run_type": ("string", "automatic, manual or feedback"),
    "measure": ("string", "canonical name"),
    "base": ("number", "mean over topics, with unjudged documents counted as not relevant"),
    "residual": ("number", "what the unjudged documents could add; empty: no exact bound"),
    "upper": ("number", "base + residual"),
    "judged_at_10": ("number", "share of the first ten documents that are judged"),
    "topics": ("integer", "topics in the mean"),
    "qrels": ("integer", "version of the qrels"),
    "run_id": ("string", "the run's address on the site"),
    "status": ("string", "ranked, late or disqualified"),
    "reason": ("string", "reason of a disqualification"),
    "is_baseline": ("integer", "1: the organisers mark the run as a baseline; 0: they do not"),
}
JUDGED_BY: Schema = {"judged_by": ("string", "the number of judgments by people and by programs")}
BASE_OF_PEOPLE: Schema = {
    "base_of_people": ("number", "the base under the judgments of people alone"),
}
TIDY: Schema = {
    "run": ("string", "the run's tag"),
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


@dataclass(frozen=True)
class About:
    """Facts about the whole package."""

    viewer: Viewer
    qrels: Qrels
    made_at: datetime
    title: str
    address: str  # its URL; may be empty
    authors: tuple[Author, ...] = ()  # of a deposit
    licence: Campaign.Licence | None = None


def licence_of(campaign: Campaign) -> Campaign.Licence | None:
    """None as long as the organisers have chosen none."""
    return Campaign.Licence(campaign.licence) if campaign.licence else None


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
        "keywords": ["information retrieval", "evaluation", "leaderboard"],
        "trackside": {
            "campaign": campaign.slug,
            "qrels": {"version": qrels.version, "sha256": qrels.digest},
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
    if about.address:
        content["homepage"] = about.address
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
    address = f"\nAvailable at {about.address}\n" if about.address else ""
    return f"""# {_line(about.title)}

Created {about.made_at:%-d %B %Y %H:%M} UTC from the campaign "{_line(campaign.name)}", with qrels
version {qrels.version} (sha256 {qrels.digest}) and definitions {rules_of(campaign).digest}.
{address}
{files}
- `datapackage.json`: a machine-readable description of these files (Frictionless Data)
- `CITATION.cff`: how to cite this

A score in the column `base` or `value` counts every unjudged document as not relevant. `residual`
is what the unjudged documents could add. The score lies between `base` and `base + residual`. Late
and disqualified runs are in the tables, without a rank. Anonymous teams have names that the site
chose. In CSV, a leading `'` in a text cell prevents spreadsheets from reading the text as a
formula.

To compute the same numbers from a run file and the qrels{_held_out(campaign)}:

    {_command(rules_of(campaign))}
"""


def _held_out(campaign: Campaign) -> str:
    count = len(rules_of(campaign).held_out)
    return f", remove the {count} held-out topics from the qrels and run" if count else ""


def _command(rules: ScoringRules) -> str:
    """The command line with the campaign's rules, because its defaults are those of `trec_eval`."""
    gains = ",".join(f"{grade}={gain!r}" for grade, gain in enumerate(rules.gain_map.tolist()))
    flags = f"-c -l {rules.rel} --no-relevant {rules.no_relevant} --gain-map {gains}"
    return f'trackside evaluate qrels.txt run.gz -m "{rules.measures[0]}" {flags} -q --format csv'


def citation(about: About) -> str:
    """CITATION.cff; JSON strings are valid YAML."""
    campaign = about.viewer.campaign
    lines = {
        "cff-version": "1.2.0",
        "message": "Please cite the data you used as follows.",
        "type": "dataset",
        "title": _line(about.title),
        "version": f"qrels v{about.qrels.version}, definitions {rules_of(campaign).digest}",
        "date-released": f"{about.made_at:%Y-%m-%d}",
    }
    if about.address:
        lines["url"] = about.address
    if about.licence:
        lines["license"] = about.licence.value
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items())
    organisers = json.dumps(f"The organisers and participants of {_line(campaign.name)}")
    return f"{text}authors:\n  - name: {organisers}\n"


def _line(text: str) -> str:
    return " ".join(text.split())
