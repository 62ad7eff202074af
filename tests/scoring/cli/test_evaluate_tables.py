"""CSV and JSON of `evaluate`: the same rows, at full precision."""

import csv
import io
import json
import math

import pytest

from tests.scoring.cli.command import TIED

HEADER = "run,topic,measure,value,residual,tie_low,tie_high"


def rows(found):
    assert found.status == 0, found.err
    assert found.out.splitlines()[0] == HEADER
    return {(r["run"], r["topic"], r["measure"]): r for r in csv.DictReader(io.StringIO(found.out))}


@pytest.fixture
def table(trackside):
    def table(*arguments, run=None):
        run = run or trackside.run
        return rows(trackside("evaluate", "--format", "csv", *arguments, trackside.qrels, run))

    return table


def test_values_are_doubles_to_the_last_digit(table):
    found = table("-m", "AP", "-q")
    assert found["mine", "1", "AP"]["value"] == repr((1 / 2 + 2 / 5) / 2)
    assert float(found["mine", "all", "AP"]["value"]) == math.fsum([0.45, 1, 0]) / 3
    assert found["mine", "1", "AP"]["residual"] == ""


def test_residuals_stand_beside(table):
    row = table("-m", "RBP(p=0.5)", "-q")["mine", "1", "RBP(p=0.5)"]
    assert float(row["value"]) == pytest.approx(1 / 4 + 1 / 32, abs=1e-15)
    assert float(row["residual"]) == pytest.approx(1 / 8 + 1 / 16 + 1 / 32, abs=1e-15)


def test_the_topics_are_those_of_the_mean(table):
    assert [topic for _, topic, _ in table("-m", "AP", "-q")] == ["1", "10", "2", "all"]
    assert [topic for _, topic, _ in table("-m", "AP", "-qc")] == ["1", "10", "2", "3", "all"]
    assert [topic for _, topic, _ in table("-m", "AP", "-qn")] == ["1", "10", "2"]


def test_topics_without_relevant_documents_leave_the_mean_on_request(table):
    found = table("-m", "AP", "-q", "--no-relevant", "exclude")
    assert [topic for _, topic, _ in found] == ["1", "10", "all"]
    assert float(found["mine", "all", "AP"]["value"]) == 1.45 / 2


def test_a_stricter_measure_excludes_for_itself(table, trackside):
    found = table("-c", "-q", "-m", "AP(rel=2)", "--no-relevant", "exclude")
    assert found["mine", "3", "AP(rel=2)"]["value"] == ""
    assert float(found["mine", "all", "AP(rel=2)"]["value"]) == 0.75


def test_bounds_of_ties(table, trackside):
    run = trackside.write("tied", TIED)
    found = table("-q", "-m", "RR", "-m", "AP", "--ties", "bounds", run=run)
    row = found["tied", "1", "RR"]
    assert (row["value"], row["tie_low"], row["tie_high"]) == ("0.5", "0.5", "1.0")
    assert found["tied", "all", "RR"]["tie_high"] == "1.0"
    text = trackside("evaluate", "-q", "-m", "map", "--ties", "bounds", trackside.qrels, run)
    assert text.values()["map", "1"] == "0.2500\t0.2500\t0.5000"


def test_ends_are_the_lower_and_the_higher_whichever_is_better(table, trackside):
    run = trackside.write("tied", TIED)
    row = table("-q", "-m", "ESL(n=1)", "--ties", "bounds", run=run)["tied", "1", "ESL(n=1)"]
    assert (row["tie_low"], row["tie_high"]) == ("0.0", "1.0")


def test_the_mean_over_all_orders_of_ties(table, trackside):
    run = trackside.write("tied", TIED)
    found = table("-q", "-m", "RR", "-m", "num_ret", "--ties", "expected", run=run)
    assert found["tied", "1", "RR"]["value"] == "0.75"
    assert found["tied", "1", "NumRet"]["value"] == "2.0"  # a set has no order


def test_ties_survive_taking_out_the_unjudged(table, trackside):
    run = trackside.write("tied", "1 Q0 A 1 1 t\n1 Q0 E 2 1 t\n1 Q0 B 2 1 t\n1 Q0 C 2 0 t\n")
    row = table("-J", "-q", "-m", "RR", "--ties", "bounds", run=run)["t", "1", "RR"]
    assert (row["tie_low"], row["tie_high"]) == ("0.5", "1.0")


@pytest.mark.parametrize(("ties", "measure"), [("expected", "bpref"), ("bounds", "SNAP@5")])
def test_a_measure_without_such_a_tie_rule_is_refused_by_name(trackside, ties, measure):
    found = trackside("evaluate", "--ties", ties, "-m", measure, trackside.qrels, trackside.run)
    assert (found.status, found.out) == (2, "")
    assert found.err == f"--ties {ties} is not defined for {measure}\n"


@pytest.mark.parametrize("ties", ["expected", "bounds"])
def test_a_cut_by_document_ids_leaves_no_ties_to_share(trackside, ties):
    """Of A and B, tied at the top, -M 1 would look at B alone: 0, where the mean is a half."""
    run = trackside.write("tied", TIED)
    found = trackside("evaluate", "-M", 1, "--ties", ties, "-m", "P@1", trackside.qrels, run)
    assert (found.status, found.out) == (2, "")
    assert found.err == (
        f"-M 1 does not go with --ties {ties}: it cuts tied documents by their ids; leave it out, "
        "and give measures their cutoff, as in AP@1\n"
    )


def test_a_cutoff_of_the_measure_shares_ties_across_it(table, trackside):
    run = trackside.write("tied", TIED)
    found = table("-q", "-m", "P@1", "--ties", "expected", run=run)
    assert found["tied", "1", "P@1"]["value"] == "0.5"


@pytest.mark.parametrize("output", ["csv", "json"])
@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("runid", "-m runid: a table names the run in its first column; leave out -m runid\n"),
        ("relstring.5", "-m relstring: a table has no text in its cells; use --format trec_eval\n"),
    ],
)
def test_text_is_no_cell_of_a_table(trackside, output, measure, told):
    arguments = ("-m", "AP", "-m", measure, "--format", output)
    found = trackside("evaluate", *arguments, trackside.qrels, trackside.run)
    assert (found.status, found.out, found.err) == (2, "", told)


def test_text_that_a_nickname_brings_is_left_out(table):
    measures = [measure for _, _, measure in table("-m", "all_trec")]
    assert "NumQ" in measures
    assert not {"runid", "relstring"} & set(measures)


def test_a_gain_map_says_what_grades_are_worth(table):
    found = table("-q", "-m", "HIT@5", "--gain-map", "0=0,1=.25,2=.5")
    assert found["mine", "1", "HIT@5"]["value"] == "0.5"
    assert table("-q", "-m", "HIT@5")["mine", "1", "HIT@5"]["value"] == "1.0"


def test_a_gain_map_declares_the_scale(table):
    name = "ERR@5"
    short = float(table("-q", "-m", name)["mine", "10", name]["value"])
    long = float(table("-q", "-m", name, "--gain-map", "1=0,2=0,3=1")["mine", "10", name]["value"])
    assert (short, long) == (3 / 4, 3 / 8)


def test_ndcg_with_gains_of_its_own(table):
    name = "ndcg_1=3,2=9"
    row = table("-q", "-m", "ndcg.1=3,2=9")["mine", "1", name]
    dcg = 9 / math.log2(3) + 3 / math.log2(6)
    assert float(row["value"]) == pytest.approx(dcg / (9 + 3 / math.log2(3)), abs=1e-12)


def test_grades_that_are_not_named_keep_their_gain(table):
    plain = table("-q", "-m", "ndcg")["mine", "1", "nDCG"]["value"]
    named = table("-q", "-m", "ndcg.1=1,4=4.5")["mine", "1", "ndcg_1=1,4=4.5"]["value"]
    assert float(named) == pytest.approx(float(plain), abs=1e-15)


def test_rbp_by_trec_evals_name_is_graded_and_right(table, trackside):
    found = table("-q", "-m", "rbp.p=0.5", "-m", "rbp_resid.p=0.5")
    row = found["mine", "10", "RBP(p=0.5,gain=map)"]
    assert (row["value"], row["residual"]) == ("0.5", "0.5")
    assert len(found) == 4
    text = trackside.values("-q", "-m", "rbp", "-m", "rbp_resid")
    assert text["rbp", "10"] == "0.1000"
    assert text["rbp_resid", "10"] == "0.9000"


def test_one_row_where_two_names_mean_one_measure(table):
    found = table("-m", "Rprec", "-m", "Rprec_mult.1.0", "-m", "map", "-m", "AP")
    assert [measure for _, _, measure in found] == ["AP", "Rprec"]


def test_json_has_the_same_rows(trackside, table):
    arguments = ("-q", "-m", "RBP(p=0.8)", "-m", "ESL(n=2)")
    found = trackside("evaluate", *arguments, "--format", "json", trackside.qrels, trackside.run)
    objects = json.loads(found.out)
    assert list(objects[0]) == HEADER.split(",")
    for row, expected in zip(objects, table(*arguments).values(), strict=True):
        texts = {key: "" if value is None else str(value) for key, value in row.items()}
        assert texts == expected
    assert [row["value"] for row in objects if row["measure"] == "ESL(n=2)"].count(None) == 2


def test_runs_of_one_tag_go_by_their_paths(trackside):
    other = trackside.write("other", TIED)
    same = trackside.write("same", TIED)
    found = trackside(
        "evaluate", "-m", "AP", "--format", "csv", trackside.qrels, trackside.run, other, same
    )
    assert [run for run, _, _ in rows(found)] == ["mine", other, same]


def test_workers_change_nothing(trackside):
    runs = [
        trackside.write(
            f"run{k}", "".join(f"1 Q0 {'ABCDEFG'[j * k % 7]} 1 {j} r{k}\n" for j in range(5))
        )
        for k in range(1, 7)
    ]
    arguments = ("evaluate", "-q", "-m", "all_trec", trackside.qrels, trackside.run, *runs)
    assert trackside(*arguments, "--workers", 2) == trackside(*arguments)
