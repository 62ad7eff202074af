"""Words of the topic in a document's text."""

import pytest

from campaigns.judging.assessment_page import highlighted, terms_of

pytestmark = pytest.mark.usefixtures("wake_ups", "files_of_its_own")


def marked(text: str, query: str) -> list[str]:
    return [piece for piece, is_term in highlighted(text, terms_of(query)) if is_term]


@pytest.mark.parametrize(
    ("text", "query", "words"),
    [
        ("Masks and a mask; unmasked", "mask", ["Masks", "mask"]),
        ("memories of boxes, glass and a bus", "MEMORY box bus", ["memories", "boxes", "bus"]),
        ("the flow of the liquid", "what is the flow of liquids", ["flow", "liquid"]),
        ("COVID-19, Köln's κ", "covid köln κ", ["COVID", "Köln's"]),
        ("<b>bold</b> & co", "bold b", ["bold"]),
        ("nothing", "", []),
    ],
)  # fmt: skip
def test_whole_words_are_marked_whatever_their_case_and_number(
    text: str, query: str, words: list[str]
) -> None:
    assert marked(text, query) == words


@pytest.mark.parametrize("query", ["a mask", "", "&lt; x1"])
def test_the_pieces_are_the_text(query: str) -> None:
    text = "  <x1> Masks &lt; mask's\n\n𝔘 mask "
    assert "".join(piece for piece, _ in highlighted(text, terms_of(query))) == text
