"""`trackside diversity`."""

import pytest

QRELS = "1 1 a 1\n1 1 b 1\n1 2 c 1\n2 1 a 0\n3 1 a 1\n"
RUN = "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 x 3 1 r\n2 Q0 z 1 1 r\n"
MEASURES = ("-m", "StRecall@2", "-m", "NRBP")


@pytest.fixture
def files(trackside):
    return trackside.write("qrels.txt", QRELS), trackside.write("run.txt", RUN)


def lines(outcome):
    assert (outcome.status, outcome.err) == (0, "")
    return outcome.out.splitlines()


def refused(outcome):
    assert (outcome.status, outcome.out) == (2, "")
    return outcome.err


def test_means_and_topics_with_their_residuals(trackside, files):
    # NRBP of topic 1: (3/4)/2 · (1 + 1/4); x and what follows could add ((1/4)·1 + ...)
    assert lines(trackside("diversity", *files, *MEASURES, "-q")) == [
        "run,topic,measure,value,residual",
        "r,1,StRecall@2,0.5,0.0",
        "r,1,NRBP,0.46875,0.15625",
        "r,2,StRecall@2,0.0,1.0",
        "r,2,NRBP,0.0,1.0",
        "r,all,StRecall@2,0.25,0.5",
        "r,all,NRBP,0.234375,0.578125",
    ]
    assert lines(trackside("diversity", *files, *MEASURES))[1:] == [
        "r,all,StRecall@2,0.25,0.5",
        "r,all,NRBP,0.234375,0.578125",
    ]


def test_all_topics_of_the_qrels(trackside, files):
    line = lines(trackside("diversity", *files, "-m", "StRecall@2", "-c"))[1]
    assert line == f"r,all,StRecall@2,{0.5 / 3},{(0 + 1 + 1) / 3}"


def test_the_columns_of_ndeval(trackside, files):
    header, first, second, mean = lines(trackside("diversity", *files, "--format", "ndeval"))
    assert header.startswith("runid,topic,ERR-IA@5,ERR-IA@10,ERR-IA@20,nERR-IA@5")
    assert header.endswith("NRBP,nNRBP,MAP-IA,P-IA@5,P-IA@10,P-IA@20,strec@5,strec@10,strec@20")
    assert first.startswith("r,1,0.453858,0.450896,0.450842,0.750000")
    assert set(second.split(",")[2:]) == {"0.000000"}
    assert mean.startswith("r,amean,0.226929")


def test_measures_have_the_names_of_ndeval_too(trackside, files):
    theirs = lines(trackside("diversity", *files, "--format", "ndeval"))[0].split(",")[2:]
    asked = [argument for name in theirs for argument in ("-m", name)]
    assert lines(trackside("diversity", *files, *asked)) == lines(trackside("diversity", *files))


@pytest.mark.parametrize("name", ["alpha_nDCG@20", "alpha-nDCG@20", "strec@5", "NRBP"])
def test_evaluate_says_where_they_are_computed(trackside, files, name):
    found = refused(trackside("evaluate", *files, "-m", name))
    assert found.startswith(f"-m {name}: this needs judgments by subtopic: use `trackside diversi")


def test_a_measure_without_bounds_has_an_empty_residual(trackside, files):
    assert lines(trackside("diversity", *files, "-m", "alpha_nDCG@5"))[1].endswith(",")


def test_runs_with_one_tag_are_told_apart_by_their_paths(trackside, files):
    other = trackside.write("other.txt", RUN)
    found = lines(trackside("diversity", *files, other, "-m", "NRBP"))
    assert [line.split(",")[0] for line in found[1:]] == [files[1], other]


def test_the_grade_from_which_a_document_is_relevant(trackside, files):
    qrels = trackside.write("graded.txt", "1 1 a 1\n1 2 b 2\n")
    line = lines(trackside("diversity", qrels, files[1], "-m", "StRecall@1", "-l", "2"))[1]
    assert line == "r,all,StRecall@1,0.0,0.0"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["-m", "ERRIA@5"],
            "-m: there is no measure of diversity 'ERRIA'; did you mean ERR_IA?",
        ),
        (["-m", "NRBP", "--format", "ndeval"], "--format ndeval has columns of its own"),
        (["-l", "0"], "argument -l/--level_for_rel: '0' is not a whole number above 0"),
    ],
)
def test_what_it_refuses(trackside, files, arguments, told):
    assert told in refused(trackside("diversity", *files, *arguments))


def test_a_wrong_line_is_named(trackside, files):
    qrels = trackside.write("bad.txt", "1 1 a 1\n1 a 1\n")
    told = refused(trackside("diversity", qrels, files[1]))
    assert f"{qrels}: line 2: FIELDS 3 fields, 4 expected: topic, subtopic, document, grade" in told


def test_a_run_of_other_topics(trackside, files):
    run = trackside.write("other.txt", "9 Q0 a 1 1 r\n")
    assert "no topic of the run is in the qrels" in refused(trackside("diversity", files[0], run))
