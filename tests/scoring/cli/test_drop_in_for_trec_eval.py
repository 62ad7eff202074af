"""The flags, the names and the very bytes of trec_eval."""

import gzip

import pytest

from tests.scoring.cli.command import QRELS, RUN

FAULTY = ("rbp ", "rbp_resid ")  # of trec_eval 10: see scoring/core/measures/trec_eval.py


class TestBytes:
    pytestmark = pytest.mark.data

    @pytest.mark.parametrize(
        ("expected", "flags"),
        [
            ("out.test", []),
            ("out.test", ["-m", "official"]),
            ("out.test.a", ["-m", "all_trec"]),
            ("out.test.aq", ["-q", "-m", "all_trec"]),
        ],
    )
    def test_nists_own_test_output(self, trackside, data, expected, flags):
        folder = data / "trec_eval"
        found = trackside("evaluate", *flags, folder / "qrels.test", folder / "results.test")
        lines = (folder / expected).read_text().splitlines(keepends=True)
        assert found.out == "".join(line for line in lines if not line.startswith(FAULTY))
        assert (found.status, found.err) == (0, "")


def test_one_summary_line_a_measure(trackside):
    found = trackside("evaluate", "-m", "map", "-m", "P.5", trackside.qrels, trackside.run)
    assert found.out == f"{'map':<22}\tall\t0.4833\n{'P_5':<22}\tall\t0.2000\n"


def test_topics_are_those_of_both_files(trackside):
    assert trackside.values("-m", "num_q")["num_q", "all"] == "3"  # 1, 2 and 10; not 3, not 99


def test_c_takes_in_topics_that_the_run_misses(trackside):
    values = trackside.values("-c", "-m", "num_q", "-m", "map", "-m", "num_rel")
    assert values["num_q", "all"] == "4"
    assert values["map", "all"] == "0.3625"
    assert values["num_rel", "all"] == "4"


def test_q_prints_each_topic_of_the_run_in_order_of_bytes(trackside):
    found = trackside("evaluate", "-q", "-c", "-m", "map", trackside.qrels, trackside.run)
    assert [line.split("\t")[1] for line in found.out.splitlines()] == ["1", "10", "2", "all"]
    assert found.values()["map", "1"] == "0.4500"


def test_q_leaves_out_what_only_exists_over_all_topics(trackside):
    values = trackside.values("-q", "-m", "official")
    assert {name for name, topic in values if topic == "all"} - {
        name for name, topic in values if topic == "1"
    } == {"runid", "num_q", "gm_map"}


def test_n_prints_no_summary(trackside):
    assert {topic for _, topic in trackside.values("-n", "-q", "-m", "map")} == {"1", "10", "2"}
    assert trackside.values("-n") == {}


def test_l_is_the_lowest_relevant_grade(trackside):
    values = trackside.values("-l2", "-m", "num_rel", "-m", "map", "-m", "AP(rel=1)")
    assert values["num_rel", "all"] == "2"
    assert values["map", "all"] == "0.5000"
    assert values["AP", "all"] == "0.4833"  # an explicit rel wins, and goes by its own name


def test_capital_m_looks_at_the_first_documents(trackside):
    values = trackside.values("-M", 2, "-q", "-m", "num_ret", "-m", "map")
    assert values["num_ret", "1"] == "2"
    assert values["map", "1"] == "0.2500"


def test_capital_j_leaves_out_unjudged_documents(trackside):
    values = trackside.values("-J", "-q", "-m", "num_ret", "-m", "map", "-m", "relstring")
    assert values["num_ret", "1"] == "3"  # B A C
    assert values["map", "1"] == "0.5833"
    assert values["relstring", "1"] == "'021'"


def test_relstring_tells_who_looked(trackside):
    values = trackside.values("-q", "-m", "relstring", "-m", "relstring.2")
    assert values["relstring_2", "1"] == "'02'"
    assert trackside.values("-q", "-m", "relstring")["relstring", "1"] == "'02-.1'"


def test_capital_n_is_asked_by_utility_alone(trackside):
    weights = "utility.1,-1,-2,0.5"  # 2 relevant found, 3 others, none missed, 95 left
    values = trackside.values("-q", "-N", 100, "-m", weights, "-m", "utility")
    assert values["utility_1,-1,-2,0.5", "1"] == "46.5000"
    assert trackside.values("-q", "-m", "utility")["utility", "1"] == "-1.0000"


def test_flags_run_together_and_stand_anywhere(trackside):
    together = trackside("evaluate", trackside.qrels, "-qc", trackside.run, "-m", "map")
    apart = trackside("evaluate", "-q", "-c", "-m", "map", trackside.qrels, trackside.run)
    assert together == apart
    assert together.status == 0


def test_long_names_of_the_flags(trackside):
    short = trackside.values("-q", "-n", "-c", "-l", 2, "-J", "-N", 9, "-M", 3, "-m", "map")
    long = trackside.values(
        *("--query_eval_wanted", "--nosummary", "--complete_rel_info_wanted"),
        *("--level_for_rel", 2, "--Judged_docs_only", "--Number_docs_in_coll", 9),
        *("--Max_retrieved_per_topic", 3, "--measure", "map"),
    )
    assert long == short


def test_gzipped_files_are_read(trackside):
    plain = trackside("evaluate", trackside.qrels, trackside.run)
    qrels = trackside.write("q.gz", gzip.compress(QRELS.encode()))
    run = trackside.write("r.gz", gzip.compress(RUN.encode()))
    assert trackside("evaluate", qrels, run) == plain


def test_many_runs_follow_each_other(trackside):
    other = trackside.write("other", "1 Q0 A 1 1 other\n")
    found = trackside("evaluate", "-m", "runid", trackside.qrels, trackside.run, other)
    assert [line.split("\t")[2] for line in found.out.splitlines()] == ["mine", "other"]


def test_what_is_not_defined_is_a_dash(trackside):
    assert trackside.values("-q", "-m", "ESL(n=2)")["ESL(n=2)", "10"] == "–"
