"""Files of every layout, mutated: read, or refused with a code. What is read was in the file. Those
of topics are in `test_topics_of_collections`."""

import io
import random
import zlib
from collections.abc import Callable, Iterable, Mapping

import pytest

from campaigns.trec.document_fields import ambiguous_fields
from campaigns.trec.documents import read_documents
from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import as_qrels, read_qrels
from campaigns.trec.runs import read_run
from campaigns.trec.runs_table import read_runs_table
from campaigns.trec.subtopics import read_subtopics
from scoring.library.sample_file import read_sample
from scoring.library.score_matrix import read_matrix
from tests.campaigns.trec import test_documents, test_documents_json, test_layouts, test_subtopics
from tests.campaigns.trec.fuzz import mutants, qrels_samples, samples

MUTATIONS = 1_000  # of each sample

DOCUMENTS = {
    **test_documents.LAYOUTS,
    **test_documents_json.OBJECTS,
    "newspapers": "".join(
        f"<DOC>\n<DOCNO> A-{number} </DOCNO>\n{body}\n</DOC>\n"
        for number, (body, *_) in enumerate(test_documents.NEWSPAPERS.values())
    ).encode(),
    "TREC": test_documents.TREC,
    "a newspaper": b"<DOC>\n<DOCNO> A-1 </DOCNO>\n<HL>Head &amp; line</HL>\n<LP>\nLead.\n</LP>\n"
    b"<TEXT>\n<P>One.</P>\n</TEXT>\n</DOC><DOC><DOCNO>A-2</DOCNO><TEXT>Two</TEXT></DOC>\n",
}
JUDGMENTS = {
    "judgments as CSV": b'topic,doc_id,grade,note\n301,d1,2,"see\n301,d2,0,"\n301,d3,1,ok\n',
    "with semicolons": b'assessor;topic;doc_id;grade\r\nann;301;"d;1";2\r\nann;301;d2;\r\n',
    "prels": b"301 d1 2 1 0.5\n301 d2 -999 1 1\n",
}
RUNS_TABLES = {
    "a runs table": b"run,team,type,pooled\nbm25,one,automatic,yes\ndense,two,manual,no\n"
}
MATRICES = {"a matrix": b"topic,a,b\n1,.5,\n2,NA,.25\n", "tabs": b"topic\ta\tb\n1\t.5\t1\n"}
SAMPLES = {"a sample": b"topic,doc_id,stratum,probability\n1,d1,0,1\n1,d2,1,.5\n1,d3,1,.5\n"}
SUBTOPICS = {"by subtopic": test_subtopics.GOOD}


def of_run(data: bytes) -> Iterable[str]:
    run = read_run(data)
    return [*run.topics, *(each.decode() for each in run.doc_ids.tolist())]


def of_qrels(data: bytes) -> Iterable[str]:
    qrels = read_qrels(data)
    return [*qrels.topics, *(each.decode() for each in qrels.doc_ids.tolist())]


def of_subtopics(data: bytes) -> Iterable[str]:
    found = read_subtopics(data).judgments
    return [text for each in found for text in (each.topic, each.subtopic, each.doc_id)]


def of_sample(data: bytes) -> Iterable[str]:
    found = read_sample(io.BytesIO(data))
    return [text for each in found for text in (each.topic, each.doc_id)]


def of_documents(data: bytes) -> Iterable[str]:
    ambiguous_fields(data)
    return [each.doc_id for each in read_documents(data)]


READERS: dict[str, tuple[Callable[[bytes], Iterable[str]], Mapping[str, bytes]]] = {
    "run": (
        of_run,
        test_layouts.RUNS | {f"TREC {k}": data for k, data in enumerate(samples()[:3])},
    ),
    "qrels": (
        of_qrels,
        test_layouts.QRELS | {f"TREC {k}": data for k, data in enumerate(qrels_samples())},
    ),
    "judgments": (lambda data: of_qrels(as_qrels(data)), JUDGMENTS),
    "documents": (of_documents, DOCUMENTS),
    "runs table": (lambda data: [row.tag for row in read_runs_table(data).rows], RUNS_TABLES),
    "matrix": (lambda data: read_matrix(io.BytesIO(data))[0], MATRICES),
    "sample": (of_sample, SAMPLES),
    "subtopics": (of_subtopics, SUBTOPICS),
}
CASES = [(kind, name) for kind, (_, files) in READERS.items() for name in files]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_mutations_are_read_or_refused_and_no_id_is_invented(kind: str, name: str) -> None:
    read, files = READERS[kind]
    draw = random.Random(zlib.crc32(name.encode()))
    for data in mutants([files[name]], draw, MUTATIONS):
        try:
            ids = list(read(data))
        except FormatError:
            continue
        if b"\\" in data or b"&" in data or b'""' in data:
            continue  # written otherwise than read
        written = data.decode("utf-8", "replace")
        assert all(each in written for each in ids), (data, ids)
