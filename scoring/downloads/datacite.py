"""The metadata that an archive sends to DataCite for a DOI, by the schema 4.5."""

import json
from typing import Any, Final

from scoring.citations.authors import Author, organisers_of
from scoring.citations.citation import one_line
from scoring.downloads.description import (
    KEYWORDS,
    LICENCE_URLS,
    About,
    authors_of,
    summary,
)

DATACITE_FILE: Final = "datacite.json"
SCHEMA: Final = "http://datacite.org/schema/kernel-4"


def datacite(about: About) -> str:
    """`datacite.json`. The organisers are the publisher until an archive is."""
    content: dict[str, Any] = {
        "schemaVersion": SCHEMA,
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Retrieval evaluation"},
        "titles": [{"title": one_line(about.title)}],
        "creators": [_creator(author) for author in authors_of(about)],
        "publisher": {"name": organisers_of(about.viewer.campaign).full_name},
        "publicationYear": f"{about.made_at:%Y}",
        "dates": [{"date": f"{about.made_at:%Y-%m-%d}", "dateType": "Created"}],
        "subjects": [{"subject": keyword} for keyword in KEYWORDS],
        "version": f"qrels v{about.qrels.version}",
        "formats": ["application/zip"],
        "descriptions": [{"description": summary(about), "descriptionType": "Abstract"}],
    }
    if about.url:
        content["url"] = about.url
    if about.licence:
        content["rightsList"] = [
            {
                "rights": about.licence.label,
                "rightsUri": LICENCE_URLS[about.licence],
                "rightsIdentifier": about.licence.value,
                "rightsIdentifierScheme": "SPDX",
                "schemeUri": "https://spdx.org/licenses/",
            }
        ]
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _creator(author: Author) -> dict[str, Any]:
    if not author.is_person:
        return {"name": author.full_name, "nameType": "Organizational"}
    creator: dict[str, Any] = {
        "name": f"{author.family}, {author.given}",
        "nameType": "Personal",
        "givenName": author.given,
        "familyName": author.family,
    }
    if author.affiliation:
        creator["affiliation"] = [{"name": author.affiliation}]
    if author.orcid:
        creator["nameIdentifiers"] = [
            {
                "nameIdentifier": author.orcid_url,
                "nameIdentifierScheme": "ORCID",
                "schemeUri": "https://orcid.org",
            }
        ]
    return creator
