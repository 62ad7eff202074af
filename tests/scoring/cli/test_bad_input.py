"""Wrong files and arguments: standard error with file and line, exit status 2."""

import gzip
import json

import pytest

GOOD = "1 Q0 A 1 1 good\n"
BAD = "1 Q0 A 1 1 bad\n1 Q0 B 2 nan bad\n1 Q0 C 3 bad\n"


def test_faults_of_a_run_name_file_and_line(trackside):
    bad = trackside.write("bad", BAD)
    found = trackside("evaluate", trackside.qrels, bad)
    assert (found.status, found.out) == (2, "")
    first, second = found.err.splitlines()
    assert first == f"{bad}: line 2: SCORE score is not finite (field 5: 'nan')"
    assert second.startswith(f"{bad}: line 3: FIELDS ")


def test_faults_of_qrels_too(trackside):
    bad = trackside.write("bad", "1 0 A 1\n1 0 B yes\n")
    found = trackside("evaluate", bad, trackside.run)
    assert found.status == 2
    assert found.err.startswith(f"{bad}: line 2: GRADE ")


@pytest.mark.parametrize("workers", [1, 2])
def test_faults_of_all_runs_are_told_and_nothing_is_printed(trackside, workers):
    bad, worse = trackside.write("bad", BAD), trackside.write("worse", "")
    found = trackside("evaluate", "--workers", workers, trackside.qrels, bad, trackside.run, worse)
    assert (found.status, found.out) == (2, "")
    assert [line.split(": ")[0] for line in found.err.splitlines()] == [bad, bad, worse]


def test_a_missing_file(trackside):
    found = trackside("evaluate", trackside.qrels, "nowhere")
    assert (found.status, found.err) == (2, "nowhere: No such file or directory\n")


def test_damaged_gzip(trackside):
    cut = trackside.write("cut.gz", gzip.compress(GOOD.encode())[:-9])
    found = trackside("evaluate", trackside.qrels, cut)
    assert found.status == 2
    assert found.err.startswith(f"{cut}: GZIP ")


@pytest.mark.parametrize("negatives", [1, 12])
def test_topics_that_nobody_judged_are_named(trackside, negatives):
    topics = [f"{100 + n}" for n in range(negatives)]
    lines = "".join(f"{topic} 0 A -1\n" for topic in topics)
    qrels = trackside.write("more", "1 0 A 1\n" + lines)
    found = trackside("evaluate", "-c", "-m", "num_q", qrels, trackside.run)
    assert (found.status, found.values()["num_q", "all"]) == (0, "1")
    has = "1 topic has" if negatives == 1 else f"{negatives} topics have"
    named = "100" if negatives == 1 else "100, 101, 102, 103, 104, 105, 106, 107, 108, 109, ..."
    assert found.err == (
        f"{qrels}: warning: {has} no grade of 0 or more, and no part in any mean: {named}\n"
    )


def test_no_common_topic(trackside):
    other = trackside.write("other", "77 Q0 A 1 1 other\n")
    found = trackside("evaluate", trackside.qrels, other)
    assert (found.status, found.err) == (2, f"{other}: no topic of the run is in the qrels\n")


def test_a_grade_that_the_gain_map_forgets(trackside):
    found = trackside("evaluate", "--gain-map", "1=1", trackside.qrels, trackside.run)
    assert found.status == 2
    assert "grade 2 has no gain" in found.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate",),
        ("evaluate", "-x", "q", "r"),
        ("evaluate", "-l", "0", "q", "r"),
        ("evaluate", "-l", "128", "q", "r"),
        ("evaluate", "-M", "9" * 5000, "q", "r"),
        ("evaluate", "-", "-"),
        ("evaluate", "--ties", "random", "q", "r"),
        ("evaluate", "--gain-map", "0=0,1=2", "q", "r"),
        ("evaluate", "--gain-map", "a", "q", "r"),
        ("check", "run"),
        ("select", "run", "--method", "D", "--p", "0.8", "--budget", "1"),
        ("select", "run", "--method", "A", "--p", "1", "--budget", "1"),
        ("select", "run", "--method", "A", "--p", "0.8", "--budget", "1,x"),
        ("agreement", "q", "r", "s"),
        ("agreement", "q", "r", "s", "-m", "AP"),
        ("significance", "--test", "t"),
        ("significance", "--test", "z", "--scores", "m.csv"),
        ("significance", "--test", "t", "--scores", "m.csv", "--against", "top"),
        ("ranks", "q"),
        ("ranks", "--scores", "m.csv", "--level", "1"),
        ("properties", "nope"),
        ("properties", "nope@k"),
        ("properties", "P@99999999999"),
        ("nothing",),
        (),
    ],
)
def test_wrong_arguments(trackside, arguments):
    found = trackside(*arguments)
    assert found.status == 2
    assert bool(found.err) is bool(arguments)  # nothing at all gets the help


class TestCheck:
    @pytest.fixture
    def topics(self, trackside):
        return trackside.write("topics", "1\tone\n2\ttwo\n")

    def test_a_good_run(self, trackside, topics):
        run = trackside.write("good", "1 Q0 A 1 3.0 r\n1 Q0 B 2 2.0 r\n2 Q0 A 1 1.0 r\n")
        found = trackside("check", run, "--topics", topics)
        assert found == (0, f"{run}: accepted: run r, 2 topics, 3 lines\n", "")

    def test_warnings_do_not_refuse(self, trackside, topics):
        run = trackside.write("good", GOOD)
        found = trackside("check", run, "--topics", topics)
        assert (found.status, found.err) == (0, "")
        warning, accepted = found.out.splitlines()
        assert warning.startswith(f"{run}: warning: MISSING_TOPICS ")
        assert "accepted" in accepted

    def test_the_sites_own_words(self, trackside, topics):
        run = trackside.write("bad", "1 Q0 A 1 1 r\n\n01 Q0 A 1 x r\n")
        found = trackside("check", run, "--topics", topics)
        assert found.status == 2
        assert found.err.splitlines() == [
            f"{run}: line 3: UNKNOWN_TOPIC topic is not in the list of topics: leading zeros "
            "matter, did you mean '1'? (field 1: '01')",
            f"{run}: line 3: SCORE score is not a decimal number (field 5: 'x')",
        ]
        assert found.out.startswith(f"{run}: warning: line 2: BLANK ")

    def test_depth(self, trackside, topics):
        run = trackside.write("deep", "1 Q0 A 1 2 r\n1 Q0 B 2 1 r\n")
        assert trackside("check", run, "--topics", topics, "--depth", 2).status == 0
        found = trackside("check", run, "--topics", topics, "--depth", 1)
        assert found.status == 2
        assert found.err.startswith(f"{run}: line 2: TOO_MANY ")

    def test_unknown_topics_may_be_dropped(self, trackside, topics):
        run = trackside.write("more", GOOD + "7 Q0 A 1 1 good\n")
        assert trackside("check", run, "--topics", topics).status == 2
        drop = ("--unknown-topics", "drop")
        assert trackside("check", run, "--topics", topics, *drop).status == 0

    def test_several_runs_are_checked_whatever_one_of_them_is(self, trackside, topics):
        good, bad = trackside.write("good", GOOD), trackside.write("bad", BAD)
        found = trackside("check", "--topics", topics, "nowhere", bad, good)
        assert found.status == 2
        assert found.out.splitlines()[-1] == f"{good}: accepted: run good, 1 topics, 1 lines"
        missing, first, second = found.err.splitlines()
        assert missing == "nowhere: No such file or directory"
        assert first.startswith(f"{bad}: line 2: SCORE ")
        assert second.startswith(f"{bad}: ")

        found = trackside("check", "--topics", topics, "--json", "nowhere", bad, good)
        said = [json.loads(line) for line in found.out.splitlines()]
        assert [each["state"] for each in said] == ["unchecked", "refused", "accepted"]
        assert [each["file"] for each in said] == ["nowhere", bad, good]
        assert (found.status, found.err) == (2, "")
        assert trackside("check", "--topics", topics, good, good).status == 0

    def test_json_of_a_refused_run(self, trackside, topics):
        bad = trackside.write("bad", BAD)
        found = trackside("check", bad, "--topics", topics, "--json")
        said = json.loads(found.out)
        assert (found.status, found.err, said["state"], said["total"]) == (2, "", "refused", 2)
        assert said["problems"][0] == {
            "code": "SCORE",
            "line": 2,
            "field": 5,
            "value": "nan",
            "message": "score is not finite",
            "count": 1,
        }

    def test_json_of_an_accepted_run(self, trackside, topics):
        run = trackside.write("good", GOOD)
        said = json.loads(trackside("check", run, "--topics", topics, "--json").out)
        assert (said["state"], said["tag"], said["lines"]) == ("accepted", "good", 1)
        assert said["warnings"][0]["code"] == "MISSING_TOPICS"

    def test_json_where_nothing_could_be_checked(self, trackside, topics):
        missing = "No such file or directory"
        for run, listed, told in (
            ("nowhere", topics, f"nowhere: {missing}"),
            (trackside.run, "nowhere", f"nowhere: {missing}"),
            (trackside.run, trackside.write("none", ""), "EMPTY the file contains no topic"),
        ):
            found = trackside("check", run, "--topics", listed, "--json")
            said = json.loads(found.out)
            assert (found.status, found.err, said["state"]) == (2, "", "unchecked")
            assert (said["file"], said["problems"], said["total"]) == (run, [], 0)
            assert len(said["errors"]) == 1
            assert said["errors"][0].endswith(told)

    @pytest.mark.parametrize(
        ("what", "text"), [("a run", GOOD + "1 Q0 B 2 0 good\n"), ("qrels", "1 0 A 1\n1 0 B 0\n")]
    )
    def test_another_file_than_topics_is_called_what_it_is(self, trackside, what, text):
        other = trackside.write("other", text)
        found = trackside("check", trackside.run, "--topics", other)
        assert (found.status, found.out) == (2, "")
        assert found.err == f"{other}: this is {what}; --topics takes the campaign's topics\n"

    def test_faults_of_the_topics(self, trackside):
        topics = trackside.write("topics", "1\tone\n1\tagain\n")
        found = trackside("check", trackside.run, "--topics", topics)
        assert found.status == 2
        assert found.err.startswith(f"{topics}: line 2: DUP ")
