"""Documents in JSON, however it is written."""

import pytest

from campaigns.trec.documents import read_documents
from campaigns.trec.documents_checks import ParsedDocument
from campaigns.trec.problems import FormatError

TWO = [("1", "first text"), ("2", "second text")]
OBJECTS = {
    "an array": b'[{"id": "1", "text": "first text"}, {"id": "2", "text": "second text"}]',
    "an array over lines": b"""
[
  {
    "id": "1", "notes": ["[", {"a": "}"}],
    "text": "first text"
  },
  {"id": "2", "text": "second text"}
]
""",
    "objects over lines": b"""{
  "id": "1",
  "text": "first text"
}
{
  "id": "2",
  "text": "second text"}
""",
    "a comma before each": b'[{"id":"1","text":"first text"}\n,{"id":"2","text":"second text"}]',
    "other cases": b'{"DOCNO": "1", "Text": "first text"}\n{"Doc-ID": "2", "BODY": "second text"}',
    "paragraphs": b'{"id": "1", "text": ["first text"]}\n{"id":"2","text":[null,"second text"]}',
}


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_json_is_read_however_it_is_written(name: str, ends: bytes) -> None:
    found = read_documents(OBJECTS[name].replace(b"\n", ends))
    assert [(each.doc_id, each.text) for each in found] == TWO


def test_articles_of_the_washington_post() -> None:  # made up, with the keys of the collection
    parts = (
        '{"content": "Sport", "type": "kicker"}, {"content": "A head", "type": "title"}, null, '
        '{"content": "By A. Writer", "type": "byline"}, {"content": 1325379405000, "type": "date"},'
        '{"fullcaption": "A map.", "imageURL": "x", "type": "image"}, '
        '{"content": "One <a href=\\"x\\">of</a> &amp; two.", "subtype": "paragraph", '
        '"type": "sanitized_html"}, {"content": {"id": 1}, "type": "tweet"}'
    )
    data = f'{{"id": "d1", "title": "A head", "contents": [{parts}], "source": "x"}}\n'
    (found,) = read_documents(data.encode())
    assert found == ParsedDocument(
        "d1", "A head", "Sport\n\nBy A. Writer\n\nA map.\n\nOne of & two."
    )


def test_an_article_of_the_washington_post_has_its_title_in_a_part() -> None:
    data = b"""{"id": "d1", "title": null, "contents": [{"type": "title", "content": "A head"},
        {"type": "tweet", "content": {"text": "A tweet."}}, {"type": "gallery", "blurb": "A map."},
        {"type": "list", "content": ["One.", "Two."]}]}"""
    (found,) = read_documents(data)
    assert found == ParsedDocument("d1", "A head", "A tweet.\n\nA map.\n\nOne.\n\nTwo.")


def test_articles_of_cord_19() -> None:  # made up, with the keys of the collection
    data = b"""{"paper_id": "p", "metadata": {"title": "A head"}, "body_text": [{"text": "One."},
        {"text": "Two.", "section": "s"}]}"""
    (found,) = read_documents(data)
    assert found == ParsedDocument("p", "A head", "One.\n\nTwo.")


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (b'{"pid": "1", "passage": [1]}\n', ["1 JSON"]),
        (b'{"pid": ["1"], "passage": "a"}\n', ["1 JSON"]),
        (b'{"id": "1", "text": ["a", [1]]}\n{"id": "2", "text": {"a": "b"}}', ["1 JSON", "2 JSON"]),
        (b'[{"id": "1", "text": "a"}\n{"id": "2"}]\n', ["2 JSON"]),
        (b'[{"id": "1", "text": "a"},\n,{"id": "2"}]\n', ["2 JSON"]),
        (b'[\n{"id": "1", "text": "a"},\n', ["2 JSON"]),
        (b'[\n{"id": "1", "text": "a"}\n]\n]', ["4 JSON"]),
        (b'[\n{"id": "1", "text": "a"}]\n{"id": "2", "text": "a"}', ["3 JSON"]),
        (b'[["id", "1"]]\n', ["1 JSON"]),
        (b"[\n1,\n2]\n", ["2 JSON"]),
        (b'{"id": "1", "text": "a", "Text": "b"}\n{"id": "2", "url": "a", "URL": "b"}', ["1 JSON"]),
        (b"[]\n", ["None EMPTY"]),
        (b"[\n]\n", ["None EMPTY"]),
        (b"[", ["1 JSON"]),
        (b'{\n"id": "1",\n"text": "a\nb"\n}\n', ["3 JSON"]),
        (
            b'{\n"id": "1"\n"text": "a"\n}\n{\n"id": "2",\n"text": "b"]\n}',
            ["1 JSON", "5 JSON", "8 JSON"],
        ),
        (b'{\n"id": "1",\n"text": "a"\n}\nand\n', ["5 JSON"]),
        (b'{\n"id": "1",\n"text": "a"\n}\n{\n', ["5 JSON"]),
        (b'{\n"id": "1",\n"text": "a"\n}\n{\n"id": "1"\n}\n', ["5 DUP"]),
        (b'{\n"id": "1", "text": "' + b'x",\n"n": "' * 1_200_000 + b'"}', ["1 TOO_BIG"]),
        (b'[{"id": "1", "text": "' + b"x" * (5 << 20) + b'"}]', ["1 LINE_TOO_LONG"]),
    ],
)
def test_what_is_not_json_has_its_line(data: bytes, problems: list[str]) -> None:
    with pytest.raises(FormatError) as refused:
        list(read_documents(data))
    assert [f"{each.line} {each.code}" for each in refused.value.problems] == problems
