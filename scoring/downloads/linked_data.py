"""Descriptions that catalogues and search engines of data sets read, as JSON-LD: RO-Crate 1.1 and
Croissant 1.1 in a zip, and schema.org in the page *Downloads* of a published campaign."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from django.urls import reverse

from campaigns.access import Viewer
from campaigns.models import Campaign
from campaigns.qrels.versions import versions_visible_to
from scoring.citations import authors
from scoring.citations.authors import Author
from scoring.citations.citation import one_line
from scoring.downloads.description import (
    KEYWORDS,
    LICENCE_URLS,
    About,
    authors_of,
    licence_of,
    summary,
)

ROOT: Final = "./"
RO_CRATE_FILE: Final = "ro-crate-metadata.json"
CROISSANT_FILE: Final = "croissant.json"
RO_CRATE_CONTEXT: Final = [
    "https://w3id.org/ro/crate/1.1/context",
    {"sha256": "http://schema.org/sha256"},  # which the context of RO-Crate 1.1 lacks
]
NO_LICENCE: Final = "The organisers state no licence. Ask them before you use these data."
MEDIA_TYPES: Final = {
    "csv": "text/csv",
    "txt": "text/plain",
    "xml": "application/xml",
    "gz": "application/gzip",
}
DATA_TYPES: Final = {"integer": "sc:Integer", "number": "sc:Float", "string": "sc:Text"}
# The terms of the specification of Croissant 1.1.
CROISSANT_CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "description": {"@container": "@language"},
    "name": {"@container": "@language"},
} | {
    term: f"cr:{term}"
    for term in (
        *("arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract"),
        *("field", "fileObject", "fileProperty", "fileSet", "format", "includes", "isArray"),
        *("isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
        *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source"),
        *("subField", "transform"),
    )
}

Resources = Sequence[Mapping[str, Any]]


def ro_crate(about: About, resources: Resources) -> str:
    """`ro-crate-metadata.json`. The authors and the licence are entities of their own."""
    authors = [_person(author) for author in authors_of(about)]
    references = [{"@id": author["@id"]} for author in authors]
    licence = _licence_entity(about)
    root = _facts(about) | {
        "@id": ROOT,
        "@type": "Dataset",
        # RO-Crate has no lists of one.
        "author": references[0] if len(references) == 1 else references,
        "hasPart": [{"@id": each["path"]} for each in resources],
        "license": {"@id": licence["@id"]},
    }
    graph = [
        {
            "@id": RO_CRATE_FILE,
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": ROOT},
        },
        root,
        *(_crate_file(each) for each in resources),
        *authors,
        licence,
    ]
    return _text({"@context": RO_CRATE_CONTEXT, "@graph": graph})


def croissant(about: About, resources: Resources) -> str:
    """`croissant.json`: the files, and the columns of the tables among them."""
    content = {
        "@context": CROISSANT_CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        **_facts(about),
        "creator": [_without_id(_person(author)) for author in authors_of(about)],
        # Croissant recommends semantic versions.
        "version": f"{about.qrels.version}.0.0",
        "citeAs": f"{one_line(about.title)}. {about.url}".strip(),
        "distribution": [_file_object(each) for each in resources],
        "recordSet": [_record_set(each) for each in resources if "schema" in each],
    }
    return _text(content)


def published_dataset(
    viewer: Viewer, absolute: Callable[[str], str], *, doi_url: str = ""
) -> dict[str, Any] | None:
    """schema.org's Dataset of a published campaign with what a stranger may download; None for
    members of the campaign, in a preview, and where a stranger does not see the leaderboard.
    `absolute` makes a URL of a path."""
    campaign = viewer.campaign
    is_public = campaign.stage == Campaign.Stage.PUBLISHED and not campaign.is_private
    if not is_public or viewer.roles or viewer.preview or not viewer.can_see_board:
        return None
    name = one_line(campaign.name)
    content = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": name,
        "description": f"Topics, runs and scores of the evaluation campaign {name}: every score "
        "with the residual that documents without a judgment leave.",
        "url": absolute(reverse("campaigns:campaign-detail", args=[campaign.slug])),
        "keywords": KEYWORDS,
        "isAccessibleForFree": True,
        "creator": [_without_id(_person(author)) for author in authors.authors_of(campaign)],
        "distribution": [
            {"@type": "DataDownload", "name": name, "encodingFormat": kind, "contentUrl": url}
            for name, kind, url in _downloads(viewer, absolute)
        ],
    }
    if campaign.published_at:  # a campaign that an old release published has no date
        content["datePublished"] = f"{campaign.published_at:%Y-%m-%d}"
    if licence := licence_of(campaign):
        content["license"] = LICENCE_URLS[licence]
    if doi_url:
        content["identifier"] = doi_url
    return content


def _downloads(viewer: Viewer, absolute: Callable[[str], str]) -> Sequence[tuple[str, str, str]]:
    slug = viewer.campaign.slug
    found = [("leaderboard, scores and definitions", "application/zip", "scoring:package", [slug])]
    if viewer.can_see_topics:
        found.append(("topics", "application/xml", "campaigns:topics-file", [slug]))
    if active := versions_visible_to(viewer).filter(pk=viewer.campaign.active_qrels_id).first():
        found.append(("qrels", "text/plain", "campaigns:qrels-file", [slug, active.version]))
    return [
        (name, kind, absolute(reverse(view, args=arguments)))
        for name, kind, view, arguments in found
    ]


def _facts(about: About) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": one_line(about.title),
        "description": summary(about),
        "datePublished": about.made_at.isoformat(),
        "keywords": KEYWORDS,
    }
    if about.url:
        facts["url"] = about.url
    facts["license"] = LICENCE_URLS[about.licence] if about.licence else NO_LICENCE
    return facts


def _licence_entity(about: About) -> dict[str, Any]:
    """A crate must have a licence, or say how it may be used."""
    if about.licence is None:
        facts = {"@id": "#licence", "name": "No licence", "description": NO_LICENCE}
    else:
        text = f"{about.licence.label} applies to all files of this package."
        facts = {
            "@id": LICENCE_URLS[about.licence],
            "name": about.licence.label,
            "description": text,
        }
    return {"@type": "CreativeWork"} | facts


def _crate_file(resource: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@id": resource["path"],
        "@type": "File",
        "name": resource["path"],
        "description": resource["description"],
        "encodingFormat": _media_type(resource),
        "contentSize": str(resource["bytes"]),
        "sha256": _sha256(resource),
    }


def _file_object(resource: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": resource["path"],
        "name": resource["path"],
        "description": resource["description"],
        "contentUrl": resource["path"],
        "contentSize": f"{resource['bytes']} B",
        "encodingFormat": _media_type(resource),
        "sha256": _sha256(resource),
    }


def _record_set(resource: Mapping[str, Any]) -> dict[str, Any]:
    name = resource["name"]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": resource["description"],
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{field['name']}",
                "name": field["name"],
                "description": field["description"],
                "dataType": DATA_TYPES[field["type"]],
                "source": {
                    "fileObject": {"@id": resource["path"]},
                    "extract": {"column": field["name"]},
                },
            }
            for field in resource["schema"]["fields"]
        ],
    }


def _person(author: Author) -> dict[str, Any]:
    # Without an ORCID, an identifier within this file.
    own = "#" + quote("-".join(author.full_name.split()), safe="")
    facts: dict[str, Any] = {
        "@id": author.orcid_url if author.orcid else own,
        "@type": "Person" if author.is_person else "Organization",
        "name": author.full_name,
    }
    if author.is_person:
        facts |= {"givenName": author.given, "familyName": author.family}
        if author.affiliation:
            facts["affiliation"] = author.affiliation
    return facts


def _without_id(entity: Mapping[str, Any]) -> dict[str, Any]:
    """An entity inside another one, which is identified only by what the world knows it by."""
    is_known = entity["@id"].startswith("https:")
    return {key: value for key, value in entity.items() if key != "@id" or is_known}


def _media_type(resource: Mapping[str, Any]) -> str:
    return MEDIA_TYPES.get(resource["format"], "application/octet-stream")


def _sha256(resource: Mapping[str, Any]) -> str:
    return str(resource["hash"]).removeprefix("sha256:")


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
