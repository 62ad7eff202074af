"""The texts of simulated documents: complete, repeatable, and answering what their grade says."""

from pathlib import Path

from campaigns.trec.topics import read_topics
from scoring.demo import simulation
from scoring.demo.texts import DocumentText, texts_of

FOLDER = Path(simulation.__file__).parent
SENTENCES = (FOLDER / "mountain-documents.toml").read_bytes()
CODES = [topic.code for topic in read_topics((FOLDER / "mountain-topics.xml").read_bytes())]


def texts() -> tuple[simulation.Collection, dict[str, DocumentText]]:
    collection = simulation.draw_collection(CODES, seed=3, candidates=800)
    runs = [
        simulation.retrieve(collection, simulation.System(team, "r", 1.5, depth=30, elsewhere=0.1))
        for team in ("Alice", "Bob")
    ]
    return collection, {each.doc_id: each for each in texts_of(collection, runs, SENTENCES)}


def test_every_document_of_a_run_has_a_text_without_open_places() -> None:
    collection, found = texts()
    run = simulation.retrieve(collection, simulation.System("Alice", "r", 1.5, depth=30))
    own = {simulation.doc_id(number) for number in run.documents.ravel().tolist()}
    assert len(own & found.keys()) > 0.8 * len(own)  # the others are of the other index
    for each in found.values():
        assert "{" not in each.title + each.text
        assert 35 < len(each.text.split()) < 160


def test_the_same_document_has_the_same_text_every_time() -> None:
    assert texts()[1] == texts()[1]


def test_only_relevant_documents_answer_the_question() -> None:
    collection, found = texts()
    topic = CODES.index("307")
    grades = dict(
        zip(
            map(simulation.doc_id, collection.documents[topic].tolist()),
            collection.grades[topic].tolist(),
            strict=True,
        )
    )
    answers = ("tank wagons bring", "A pump at", "roof of the station", "meltwater", "A spring")
    answering = [
        grades[name]
        for name, document in found.items()
        if name in grades and any(part in document.text for part in answers)
    ]
    assert set(answering) == {2}
    hints = [grades[n] for n, d in found.items() if n in grades and "The pipe to the" in d.text]
    assert set(hints) <= {1}
