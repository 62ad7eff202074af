"""Texts of simulated documents, made of the sentences in a TOML file.

A document of grade 2 has two sentences that answer the topic's question, and one of grade 1 has one
sentence that answers a small part of it. All documents have other sentences too, and their titles
do not depend on the grade, so that assessors have to read them. The same document always has the
same text.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.demo.simulation import Collection, Retrieved, doc_id


@dataclass(frozen=True)
class DocumentText:
    doc_id: str
    title: str
    text: str


def texts_of(
    collection: Collection, runs: Iterable[Retrieved], sentences: bytes
) -> list[DocumentText]:
    """A text for every document of these runs, by topic and document."""
    parts = tomllib.loads(sentences.decode())
    of_topic = {topic["number"]: topic for topic in parts["topics"]}
    retrieved = np.concatenate([run.documents for run in runs], axis=1)
    texts: dict[int, DocumentText] = {}
    for code, documents, candidates, grades in zip(
        collection.topics, retrieved, collection.documents, collection.grades, strict=True
    ):
        grade_of = dict(zip(candidates.tolist(), grades.tolist(), strict=True))
        for document in np.unique(documents).tolist():
            if document not in texts:  # a document of two topics is about the first
                grade = grade_of.get(document, 0)
                texts[document] = _text(document, grade, parts, of_topic[code], collection.seed)
    return list(texts.values())


def _text(
    document: int, grade: int, parts: Mapping[str, Any], topic: Mapping[str, Any], seed: int
) -> DocumentText:
    # A stream for each document: its text does not depend on the others.
    random = np.random.default_rng([seed, document])

    def some(sentences: list[str], count: int) -> list[str]:
        return [sentences[at] for at in random.permutation(len(sentences))[:count]]

    answering = {0: [], 1: some(topic["hints"], 1), 2: some(topic["answers"], 2)}[grade]
    body = answering + some(topic["others"], 3 - len(answering)) + some(parts["general"], 2)
    random.shuffle(body)
    half = len(body) // 2
    facts = {"line": some(parts["lines"], 1)[0], "year": 1990 + int(random.integers(35))}

    def filled(sentence: str) -> str:
        """Every sentence has numbers of its own."""
        few, percent = int(random.integers(3, 10)), int(random.integers(11, 40))
        return sentence.format(few=few, percent=percent, **facts)

    opening = some(parts["openings"], 1)
    paragraphs = opening + body[:half], body[half:]
    return DocumentText(
        doc_id=doc_id(document),
        title=filled(some(topic["titles"], 1)[0]),
        text="\n\n".join(" ".join(map(filled, sentences)) for sentences in paragraphs),
    )
