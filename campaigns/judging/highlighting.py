"""A text in pieces, of which some are words of the topic: shown as text, never as markup."""

import re
from collections.abc import Iterator

WORD = re.compile(r"\w+(?:['’]\w+)*")
STOP_WORDS = """
a about after all also am an and any are as at be because been being between both but by can could
did do does for from had has have how i if in into is it its may more most no nor not of on or other
our over should so some such than that the their them then there these they this those through to
under up use used was we were what when where which while who whom why will with would you your
"""
LEFT_OUT = frozenset(STOP_WORDS.split())


def terms_of(query: str) -> frozenset[str]:
    """The words of a query that say what it is about, plurals folded."""
    words = (word.lower() for word in WORD.findall(query))
    return frozenset(folded(word) for word in words if word not in LEFT_OUT and len(word) > 1)


def highlighted(text: str, terms: frozenset[str]) -> list[tuple[str, bool]]:
    """The whole text in pieces, each with whether it is one of the terms."""
    return list(_pieces(text, terms))


def folded(word: str) -> str:
    """A word and its simple plural come to the same: memories, memory; boxes, box; masks, mask."""
    word = re.sub(r"['’]s?\Z", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _pieces(text: str, terms: frozenset[str]) -> Iterator[tuple[str, bool]]:
    at = 0
    for word in WORD.finditer(text) if terms else ():
        if folded(word[0].lower()) in terms:
            if word.start() > at:
                yield text[at : word.start()], False
            yield word[0], True
            at = word.end()
    if at < len(text):
        yield text[at:], False
