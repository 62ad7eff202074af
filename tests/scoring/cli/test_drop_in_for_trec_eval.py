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
    found = trackside("evaluate", "-q", "-m", "map", trackside.qrels, trackside.run)
    assert [line.split("\t")[1] for line in found.out.splitlines()] == ["1", "10", "2", "all"]
    assert found.values()["map", "1"] == "0.4500"


def test_q_and_c_print_topics_that_the_run_misses(trackside):
    values = trackside.values("-q", "-c", "-m", "map", "-m", "num_rel", "-m", "relstring")
    assert {topic for _, topic in values} == {"1", "10", "2", "3", "all"}
    assert (values["map", "3"], values["num_rel", "3"]) == ("0.0000", "1")
    assert values["relstring", "3"] == "''"


def test_text_after_the_tag_is_left_out_with_a_warning(trackside):
    longer = RUN.replace(" mine\n", " mine and more\n")
    found = trackside("evaluate", trackside.qrels, trackside.write("longer.txt", longer))
    assert found.out == trackside("evaluate", trackside.qrels, trackside.run).out
    told = "line 1: TEXT_AFTER text after field 6 left out on 8 lines: the tag is 'mine'"
    assert found.err == f"{trackside.folder / 'longer.txt'}: warning: {told}\n"


def test_scores_that_were_made_from_ranks_are_told(trackside):
    ranks = trackside.write("marco.tsv", "1\tA\t1\n1\tB\t2\n")
    told = "line 1: RANKS the file has topic, document and rank: rank r becomes score -r"
    assert trackside("evaluate", trackside.qrels, ranks).err == f"{ranks}: warning: {told}\n"
    planned = trackside("select", ranks, "--method", "A", "--p", 0.8, "--budget", 2)
    assert planned.err == f"{ranks}: warning: {told}\n"


def test_a_document_with_a_space_is_no_text_after_the_tag(trackside):
    spaced = trackside.write("spaced.txt", "1 Q0 A B 1 9 mine\n")
    found = trackside("evaluate", trackside.qrels, spaced)
    assert (found.status, found.out) == (2, "")
    assert "line 1: RANK rank is not a whole number" in found.err


@pytest.mark.parametrize(
    "command", [["significance", "-m", "AP", "--test", "t"], ["agreement", "-m", "AP", "-m", "RR"]]
)
def test_other_commands_leave_it_out_too(trackside, command):
    plain = trackside.write("plain.txt", "1 Q0 A 1 9 ours\n")
    longer = trackside.write("longer.txt", "1 Q0 A 1 9 ours x\n")
    found = trackside(*command, trackside.qrels, trackside.run, longer)
    expected = trackside(*command, trackside.qrels, trackside.run, plain)
    assert (found.status, found.out) == (0, expected.out.replace("plain", "longer"))
    assert "the tag is 'ours'" in found.err


def test_a_conversion_would_lose_it_and_refuses(trackside):
    longer = trackside.write("longer.txt", "1 Q0 A 1 9 mine x\n")
    found = trackside("convert", longer, "--to", "csv")
    assert (found.status, found.out) == (2, "")
    assert "7 fields, 6 expected" in found.err


def test_the_recall_levels_of_11pt_avg(trackside):
    values = trackside.values("-q", "-m", "11pt_avg..25,.5,.75", "-m", "iprec_at_recall..25,.5,.75")
    for topic in ("1", "10", "2", "all"):
        at_levels = [float(values[f"iprec_at_recall_{r}", topic]) for r in ("0.25", "0.50", "0.75")]
        mean = float(values["11pt_avg_.25,.5,.75", topic])
        assert mean == pytest.approx(sum(at_levels) / 3, abs=1e-4)
    # of 2 relevant documents at ranks 2 and 5, each level of topic 1 asks for 1 or 2
    assert values["11pt_avg_.25,.5,.75", "1"] == f"{(0.5 + 0.5 + 0.4) / 3:.4f}"


def test_a_recall_level_outside_0_to_1(trackside):
    found = trackside("evaluate", "-m", "11pt_avg.2", trackside.qrels, trackside.run)
    assert (found.status, found.out) == (2, "")
    assert "-m 11pt_avg.2: a recall level lies in 0..1, not 2" in found.err


def test_a_cutoff_is_read_up_to_its_decimal_point(trackside):
    assert trackside.values("-m", "ndcg_cut.2,4.9").keys() == {
        ("ndcg_cut_2", "all"),
        ("ndcg_cut_4", "all"),
    }


class TestFurtherFlags:
    def test_a_is_all_measures(self, trackside):
        assert trackside.values("-a") == trackside.values("-m", "all_trec")

    @pytest.mark.parametrize("flags", [["-D", "2"], ["-d"], ["--Debug_level", "1"]])
    def test_debugging_is_ignored_and_says_so(self, trackside, flags):
        found = trackside("evaluate", *flags, "-m", "map", trackside.qrels, trackside.run)
        assert found.out == trackside("evaluate", "-m", "map", trackside.qrels, trackside.run).out
        assert found.err == f"note: {flags[0]} is ignored: it prints how trec_eval computes\n"

    @pytest.mark.parametrize("flag", ["-v", "--version"])
    def test_v_prints_the_version(self, trackside, flag):
        assert trackside("evaluate", flag) == trackside("--version")

    def test_formats_of_trec_eval(self, trackside):
        named = trackside.values("-R", "qrels", "-T", "trec_results", "-m", "map")
        assert named == trackside.values("-m", "map")

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("prefs", "prefs is not supported: Trackside reads grades and no preferences"),
            ("qrels_prefs", "Use trec_eval for these"),
            ("qrels_jg", "write the lines of each group of assessors"),
            ("text", "there is no format text: leave -R out, or write -R qrels"),
        ],
    )
    def test_formats_that_are_not_read_have_a_way_out(self, trackside, name, words):
        found = trackside("evaluate", "-R", name, trackside.qrels, trackside.run)
        assert found.status == 2
        assert words in found.err


MEASURES = ("-m", "map", "-m", "num_ret", "-m", "gm_map")
OTHERS = ("-m", "runid", "-m", "num_q", "-m", "relstring")


class TestZscores:
    MEANS = "1 map .25 .1\n2 map 0 0\n10 map .5 0\n1 num_ret 3 2\n2 num_ret 1 2\n10 num_ret 0 1\n"

    def test_how_far_each_score_is_from_the_mean(self, trackside):
        # AP is .45, 0 and 1; a deviation of 0 gives 0 at the mean and is missing elsewhere
        file = trackside.write("means.txt", self.MEANS)
        values = trackside.values("-q", "-Z", file, *MEASURES)
        assert [values["Zmap", topic] for topic in ("1", "2", "10")] == [
            "2.0000",
            "0.0000",
            "-1000000.0000",
        ]
        assert values["Zmap", "all"] == f"{(2 - 1_000_000) / 3:.4f}"
        assert values["Znum_ret", "all"] == f"{1 + 0 + 1:.4f}"  # a sum
        assert values["Zgm_map", "all"] == "0.0000"

    def test_what_has_no_number_stays(self, trackside):
        file = trackside.write("means.txt", self.MEANS)
        values = trackside.values("-q", "-Z", file, *OTHERS)
        assert values["runid", "all"] == "mine"
        assert values["Znum_q", "all"] == "3.0000"
        assert values["relstring", "1"] == "'02-.1'"

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("1 map .2\n", "line 1: FIELDS 3 fields, 4 expected: topic, measure, mean"),
            ("1 map .2 .1\n1 P_5 x 1\n", "line 2: SCORE mean and standard deviation"),
            ("1 map .2 -1\n", "line 1: SCORE mean and standard deviation"),
            ("1 map nan 1\n", "line 1: SCORE mean and standard deviation"),
            ("\n", "EMPTY the file has no mean"),
        ],
    )
    def test_a_wrong_file(self, trackside, text, told):
        file = trackside.write("means.txt", text)
        found = trackside("evaluate", "-Z", file, trackside.qrels, trackside.run)
        assert (found.status, found.out) == (2, "")
        assert told in found.err

    def test_what_is_not_defined_is_a_dash(self, trackside):
        file = trackside.write("means.txt", self.MEANS)
        qrels = trackside.write("none", "1 0 A 0\n")
        options = ("-m", "map", "-m", "num_ret", "--no-relevant", "exclude")
        found = trackside("evaluate", "-Z", file, *options, qrels, trackside.run)
        assert [line.split("\t")[2] for line in found.out.splitlines()] == ["0.0000", "–"]

    def test_only_in_the_text_of_trec_eval(self, trackside):
        file = trackside.write("means.txt", self.MEANS)
        for other in (["--format", "csv"], ["--ties", "bounds", "-m", "map"]):
            found = trackside("evaluate", "-Z", file, *other, trackside.qrels, trackside.run)
            assert found.status == 2
            assert "-Z goes only with --format trec_eval and --ties docno" in found.err


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
