"""Runs and qrels in archives, which nobody can change: long ids and tags, text after the tag, and
ids of another scheme than the qrels have."""

import pytest

from tests.scoring.cli.command import Command

LONG = "encyclo:Aftertaste/Foods%20with%20a%20distinct%20aftertaste/And%20more"  # as of TREC CAR


def test_long_topic_ids_are_scored_with_a_warning(trackside: Command) -> None:
    qrels = trackside.write("long-qrels", f"{LONG} 0 A 1\n{'x' * 1024} 0 A 1\n")
    run = trackside.write("long-run", f"{LONG} Q0 A 1 1 r\n{'x' * 1024} Q0 A 1 1 r\n")
    found = trackside("evaluate", "-q", "-m", "map", qrels, run)
    assert (found.status, found.values()["map", LONG]) == (0, "1.0000")
    assert "LONG_NAME 2 topic ids are longer than 64 bytes" in found.err
    converted = trackside("convert", run, "--to", "csv")
    assert converted.status == 0
    assert LONG in converted.out


def test_a_name_of_more_than_1024_bytes_is_refused(trackside: Command) -> None:
    qrels = trackside.write("long-qrels", f"{'x' * 1025} 0 A 1\n")
    found = trackside("evaluate", qrels, trackside.run)
    assert "topic id of 1,025 bytes, at most 1,024 allowed" in found.err
    run = trackside.write("long-tag", f"1 Q0 A 1 1 {'x' * 1025}\n")
    found = trackside("evaluate", trackside.qrels, run)
    assert (found.status, found.out) == (2, "")
    assert "tag of 1,025 bytes, at most 1,024 allowed" in found.err


@pytest.mark.parametrize("tag", ["BM25(k1=0.9,b=0.4)_rm3(" + "x" * 99 + ")", "BR(BM25)", "«tag»"])
def test_tags_of_tools_are_printed_as_they_are(trackside: Command, tag: str) -> None:
    run = trackside.write("tagged", f"1 Q0 A 1 1 {tag}\n")
    found = trackside("evaluate", "-m", "runid", "-m", "map", trackside.qrels, run)
    assert found.values()["runid", "all"] == tag
    assert ("LONG_NAME the tag is longer than 64 bytes" in found.err) == (len(tag) > 64)


def test_of_a_tag_with_blanks_the_first_word_is_named(trackside: Command) -> None:
    run = trackside.write("blanks", "1 Q0 A 1 1 BM25 and luck\n1 Q0 C 2 .5 BM25 and luck\n")
    found = trackside("evaluate", "-m", "runid", trackside.qrels, run)
    assert found.values()["runid", "all"] == "BM25"
    assert "text after field 6 left out on 2 lines: the tag is 'BM25'" in found.err


def test_six_words_of_which_two_are_no_numbers_are_refused(trackside: Command) -> None:
    run = trackside.write("words", "1 Q0 A first 1 BM25 and luck\n")
    found = trackside("evaluate", trackside.qrels, run)
    assert (found.status, found.out) == (2, "")
    assert "rank is not a whole number" in found.err


def test_topics_of_another_scheme_get_a_hint(trackside: Command) -> None:
    run = trackside.write("padded", "01 Q0 A 1 1 r\n010 Q0 F 1 1 r\n")
    found = trackside("evaluate", trackside.qrels, run)
    assert (found.status, found.out) == (2, "")
    assert "no topic of the run is in the qrels: leading zeros matter for 2 of 2" in found.err
    names = trackside.write("names.run", '{"1": {"A": 1}}')
    topics = trackside.write("topics", "1\ta\n")
    assert "accepted: run names" in trackside("check", names, "--topics", topics).out


PASSAGES = "1 Q0 A-1 1 3 p\n1 Q0 C-9 2 2 p\n2 Q0 A-2 1 1 p\n99 Q0 A-2 1 1 p\n"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_without_a_judged_document_is_told_from_a_bad_one(
    trackside: Command, workers: int
) -> None:
    passages = trackside.write("passages", PASSAGES)
    found = trackside(
        "evaluate", "-m", "map", "--workers", workers, trackside.qrels, passages, trackside.run
    )
    assert found.status == 0
    assert found.out.count("0.0000") == 1
    if workers == 1:  # others write to the terminal, which pytest does not see
        assert found.err == (
            f"{passages}: warning: no document of the run is judged: for topic 1 the run has A-1, "
            "the qrels have A. 3 of 3 would be judged if the ids of the run ended before their "
            "last '-', as those of passages do\n"
        )


def test_other_ids_have_the_usual_causes(trackside: Command) -> None:
    other = trackside.write("other", PASSAGES.replace("-", ""))
    found = trackside(
        "significance", "-m", "map", "--test", "t", trackside.qrels, other, trackside.run
    )
    assert (
        "no document of the run is judged: for topic 1 the run has A1, the qrels have A. Are"
        in (found.err)
    )
    assert found.err.count("warning") == 1
