"""Documents in TREC's form: what is around their texts, and what repairs a text."""

import pytest

from campaigns.trec.documents import read_documents
from campaigns.trec.problems import FormatError, ProblemList


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<DATE>1</DATE><HEADLINE>h<TEXT>x</TEXT>", "such as <DATE>, <HEADLINE>"),
        ("<TEXT>a<TEXT>b</TEXT>c</TEXT>", "such as text without a tag"),
        ("before <TEXT>x</TEXT>", "such as text without a tag"),
        ("<BYLINE>b</BYLINE><!-- c --><TEXT>x</TEXT><EMPTY></EMPTY>", ""),
        ("<DATE>1</DATE>x", ""),  # all of it is the text
    ],
)
def test_what_is_left_out_of_documents_is_told_once(body: str, told: str) -> None:
    findings = ProblemList()
    data = "".join(f"<DOC><DOCNO>{number}</DOCNO>{body}</DOC>\n" for number in range(3))
    assert len(list(read_documents(data.encode(), findings=findings))) == 3
    expected = f"what 3 documents have outside <TEXT> is left out, {told}"
    assert [each.message for each in findings.warnings] == [expected] * bool(told)


@pytest.mark.parametrize(
    "data",
    ['{"id": "1", "text": "a <DOC> b"}\n', "id,text\n1,a <DOC> b\n", "1\ta <DOC> b\n"],
)
def test_a_text_that_has_the_tag_is_no_document_of_trec(data: str) -> None:
    (found,) = read_documents(data.encode())
    assert (found.doc_id, found.text) == ("1", "a <DOC> b")


@pytest.mark.parametrize(
    "data",
    [
        '<?xml version="1.0"?>\n<!DOCTYPE docs>\n<docs>\n{}</docs>\n',
        "<root>{}</root>",
        "<!-- a collection -->\n{}",
    ],
)
def test_tags_around_all_documents_are_left_out(data: str) -> None:
    documents = "<DOC><DOCNO>1</DOCNO>a</DOC>\n<DOC><DOCNO>2</DOCNO>b</DOC>\n"
    found = list(read_documents(data.format(documents).encode()))
    assert [(each.doc_id, each.text) for each in found] == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize(
    "tag",
    [
        '<DOC id="A">',
        "<doc docno='A' >",
        "<DOC type='x' ID='A'>\n<TITLE></TITLE>",
        "<DOC no=A>",
        "<DOC><DOCID>A</DOCID>",
    ],
)
def test_the_id_of_a_document_may_be_an_attribute(tag: str) -> None:
    (found,) = read_documents(f"{tag}\n<TEXT>text</TEXT>\n</DOC>\n".encode())
    assert (found.doc_id, found.text) == ("A", "text")
    (found,) = read_documents(f"{tag}<DOCNO>B</DOCNO>text</DOC>".encode())
    assert (found.doc_id, found.text) == ("B", "text")


def test_two_ids_in_one_document_are_a_fault() -> None:
    data = b"<DOC>\n<DOCNO>A</DOCNO>\nfirst\n<DOCNO>B</DOCNO>\nsecond\n</DOC>\n"
    with pytest.raises(FormatError, match="line 1: FIELDS the document has two ids"):
        list(read_documents(data))


@pytest.mark.parametrize(
    "data",
    [
        '{"id": "1", "title": "a\x93b", "text": "it\x92s \x81"}\n{"id": "2", "text": "a"}\n',
        "<DOC><DOCNO>1</DOCNO><TITLE>a\x93b</TITLE><TEXT>it\x92s \x81</TEXT></DOC>",
    ],
)
def test_remains_of_windows_1252_become_its_characters(data: str) -> None:
    findings = ProblemList()
    first, *_ = read_documents(data.encode(), findings=findings)
    assert (first.title, first.text) == ("a\u201cb", "it\u2019s")
    (warning,) = findings.warnings
    assert str(warning) == (
        "line 1: WINDOWS_1252 1 text has control characters that are remains of Windows-1252: they "
        "became the characters of Windows-1252 ('1')"
    )
