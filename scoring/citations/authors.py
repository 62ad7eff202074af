"""The authors of a campaign's data, as organisers type them: one author for each line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.core.exceptions import ValidationError

from campaigns.models import Campaign

ORCID: Final = re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])")
MOST_AUTHORS: Final = 500
PARTS: Final = 3


@dataclass(frozen=True)
class Author:
    """A person, or an organisation, which has no given name."""

    family: str
    given: str = ""
    affiliation: str = ""
    orcid: str = ""
    is_listed: bool = True  # by the organisers

    @property
    def is_person(self) -> bool:
        return bool(self.given)

    @property
    def full_name(self) -> str:
        return f"{self.given} {self.family}".strip()

    @property
    def orcid_url(self) -> str:
        return f"https://orcid.org/{self.orcid}"


def authors_of(campaign: Campaign) -> tuple[Author, ...]:
    """Those whom the organisers list, once the campaign is published; never empty."""
    is_published = campaign.stage == Campaign.Stage.PUBLISHED
    listed = tuple(parse_authors(campaign.authors)) if is_published else ()
    return listed or (organisers_of(campaign),)


def organisers_of(campaign: Campaign) -> Author:
    """In place of authors, until the organisers list them."""
    name = " ".join(campaign.name.split())
    return Author(f"The organisers and participants of {name}", is_listed=False)


def parse_authors(text: str) -> Iterator[Author]:
    """Lines `Family, Given; affiliation; ORCID`, where only the name is required. Raises
    `ValidationError` with the number of the line."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MOST_AUTHORS:
        raise ValidationError(f"At most {MOST_AUTHORS} authors.")
    for number, line in lines:
        yield _author(number, [part.strip() for part in line.split(";")])


def _author(number: int, parts: list[str]) -> Author:
    name, affiliation, orcid = (*parts, "", "")[:PARTS]
    if len(parts) > PARTS or not name:
        raise ValidationError(
            f"Line {number}: type the name, and after semicolons the affiliation and the ORCID."
        )
    if orcid and not (ORCID.fullmatch(orcid) and is_valid_orcid(orcid)):
        raise ValidationError(
            f"Line {number}: {orcid} is not an ORCID. Correct it or leave it out."
        )
    family, _, given = name.partition(",")
    # Stored without https://orcid.org/.
    return Author(family.strip(), given.strip(), affiliation, orcid[-19:])


def is_valid_orcid(orcid: str) -> bool:
    """The last character is a check digit (ISO 7064, MOD 11-2)."""
    *digits, check = orcid[-19:].replace("-", "")
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == check
