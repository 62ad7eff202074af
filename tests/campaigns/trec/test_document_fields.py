"""Documents with several fields that could be the id or the text."""

import pytest

from campaigns.trec.document_fields import ambiguous_fields
from campaigns.trec.documents import read_documents
from campaigns.trec.documents_checks import FieldNames
from tests.campaigns.trec import test_documents

BOTH = b"""{"id": "1", "docid": "D1", "abstract": "short", "body": "long text", "url": "x"}
{"id": "2", "docid": "D2", "abstract": "", "body": "another", "url": "y"}
"""
TABLE = b'docno,doc_id,text,abstract\n1,A,"long, text",short\n2,B,another,\n'


@pytest.mark.parametrize(
    ("data", "ids", "texts"),
    [
        (BOTH, ("docid", "id"), ("body", "abstract")),
        (TABLE, ("doc_id", "docno"), ("text", "abstract")),
        (TABLE.replace(b",", b"\t").replace(b'"', b""), ("doc_id", "docno"), ()),  # a row is longer
        (b'{"id": "1", "docid": "1", "text": "x", "body": "x"}', (), ()),  # no question
        (b'{"pid": "1", "docid": "D", "passage": "x"}', (), ()),  # of a passage
        (b'{"id": "1", "docid": "D", "text": "x"}\n{"id": "2", "text": "y"}', (), ()),
        (b'{"id": "1", "text": "x"}\n{"id": "2", "body": "y"}', (), ()),  # one text each
        (b'{"id": "1", "text": "x", "body": ["y"]}', (), ("text", "body")),
        (b'{"id": "1", "text": "x", "body": [1]}', (), ()),
        (
            b'[{"ID": "1", "DocId": "D1", "Text": "x"},\n{"ID": "2",\n"DocId": "D2"}]',
            ("docid", "id"),
            (),
        ),
        (b'[\n{"id": "1", "docid": "D"},\n{"id": "2", "docid": "D"}\n]', ("docid", "id"), ()),
        (b'{"id": "1", "text": "x", "abstract": "y"}\n{', (), ("text", "abstract")),
        (b"<DOC>\n<DOCNO>1</DOCNO>\n<TEXT>x</TEXT>\n</DOC>", (), ()),
        (b"1\tx\n", (), ()),
        (b"\n\n", (), ()),
        (b"", (), ()),
        (b"\xff\n", (), ()),
    ],
)
def test_what_is_asked(data: bytes, ids: tuple[str, ...], texts: tuple[str, ...]) -> None:
    found = ambiguous_fields(data)
    assert (found.ids, found.texts) == (ids, texts) if found else not (ids or texts)


@pytest.mark.parametrize("name", test_documents.LAYOUTS)
def test_the_layouts_of_collections_leave_no_question(name: str) -> None:
    assert ambiguous_fields(test_documents.LAYOUTS[name]) is None


def test_the_question_shows_the_first_documents() -> None:
    found = ambiguous_fields(
        BOTH + b'{"id": "3", "docid": "D3", "body": "%b"}\n' % (b"x" * 500) * 9
    )
    assert found is not None
    assert len(found.rows) == 3
    assert found.rows[0] == {"docid": "D1", "id": "1", "body": "long text", "abstract": "short"}
    assert found.rows[2] == {"docid": "D3", "id": "3", "body": "x" * 200, "abstract": ""}


@pytest.mark.parametrize("data", [BOTH, TABLE])
def test_the_chosen_fields_are_read(data: bytes) -> None:
    ids, texts = ("id", "abstract") if data is BOTH else ("docno", "abstract")
    found = list(read_documents(data, names=FieldNames((ids,), (texts,))))
    assert [(each.doc_id, each.text) for each in found] == [("1", "short"), ("2", "")]
