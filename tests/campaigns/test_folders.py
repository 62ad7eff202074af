"""A campaign goes out as a folder and comes back the same."""

import errno
import gzip
import hashlib
import io
import os
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaigns import folders
from campaigns.models import Campaign, Run
from campaigns.qrels.files import text_of
from campaigns.qrels.versions import add_qrels
from campaigns.trec.runs_table import RUN_TYPES, RunsTable
from scoring.evaluation.rules import rules_of
from scoring.models import Evaluation, Job, Score
from tests.flow_world import stored_files
from tests.making import make_run, make_team, make_user

pytestmark = pytest.mark.django_db

TOPICS = """<topics>
<topic number="1"><query>first</query><question>what is first?</question></topic>
<topic number="02"><query>a &lt;b&gt; &amp; c</query></topic>
</topics>"""
QRELS = "1 0 A 1\n1 0 B 0\n02 0 A 2\n"
GOOD = "1 Q0 A 1 3.0 good\n1 Q0 B 2 2.0 good\n02 Q0 C 1 1.0 good\n"
OTHER = "1 Q0 B 1 3.0 other\n1 Q0 A 2 2.0 other\n"
BAD = "1 Q0 A 1 3.0 bad\n1 Q0 B 2 bad\n"
UNKNOWN = "1 Q0 A 1 3.0 unknown\n9 Q0 A 1 3.0 unknown\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    (source / "runs").mkdir(parents=True)
    (source / "topics.xml").write_text(TOPICS)
    (source / "qrels.txt").write_text(QRELS)
    (source / "runs" / "good.gz").write_bytes(gzip.compress(GOOD.encode()))
    (source / "runs" / "input.other").write_text(OTHER)
    (source / "table.csv").write_text(
        "run,team,runtype,contributed judgments,baseline\ngood,Alpha,manual,yes,yes\n"
    )
    return source


def imported(
    folder: Path, slug: str = "small", stdout: io.StringIO | None = None, **options: object
) -> str:
    out = stdout or io.StringIO()
    call_command("import_campaign", str(folder), slug=slug, stdout=out, **options)
    return out.getvalue()


def imported_in_part(folder: Path, **options: object) -> str:
    """What is said where the command fails, because it refused one run."""
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 run was refused, for the reasons above") as failed:
        imported(folder, stdout=out, **options)
    assert failed.value.returncode == 1
    return out.getvalue()


def scores(slug: str) -> dict[tuple[str, str], tuple[object, object]]:
    found = Score.objects.filter(evaluation__run__campaign__slug=slug)
    return {
        (s.evaluation.run.tag, s.measure): (s.mean_base, s.mean_residual)
        for s in found.select_related("evaluation__run")
    }


def test_a_folder_becomes_a_scored_campaign_with_its_teams(folder: Path) -> None:
    said = imported(folder, runs_table=folder / "table.csv")
    assert said.startswith("2 runs of 2 teams accepted.")
    campaign = Campaign.objects.get(slug="small")
    assert list(campaign.topics.values_list("code", flat=True)) == ["1", "02"]
    assert campaign.highest_grade == 2
    good = campaign.runs.get(tag="good")
    assert (good.team.name, good.run_type, good.is_pooled) == ("Alpha", "manual", True)
    assert (good.is_baseline, campaign.runs.get(tag="other").is_baseline) == (True, False)
    assert campaign.runs.get(tag="other").team.name == "Imported runs"
    assert scores("small")["good", "RR"] == (0.5, 0.5)  # topic 02: C could be relevant


def test_a_refused_run_is_named_with_its_line_and_the_rest_is_imported(folder: Path) -> None:
    (folder / "runs" / "bad").write_text(BAD)
    said = imported_in_part(folder)
    assert "2 runs of 1 team accepted." in said
    assert "refused: bad" in said
    assert "line 2: FIELDS" in said
    (folder / "runs" / "bad").write_text(BAD.replace("2 bad", "2 1.0 bad"))
    assert "refused" not in imported(folder)  # the first attempt is not told again


def test_hidden_files_are_no_runs(folder: Path) -> None:
    for name in (".DS_Store", "._good.gz"):
        (folder / "runs" / name).write_bytes(b"\0\5\x16\7")
    assert imported(folder).startswith("2 runs of 1 team accepted.")
    assert Run.objects.count() == 2


def test_a_run_that_cannot_be_read_is_named_and_the_rest_is_imported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def open_unless_other(path: Path, *args: Any, **options: Any) -> Any:
        if path.name == "input.other":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return opened(path, *args, **options)

    monkeypatch.setattr(Path, "open", open_unless_other)
    with pytest.raises(CommandError, match=r"^input\.other is not imported: Permission denied\.\n"):
        imported(folder)
    assert Run.objects.get().tag == "good"


def test_the_import_continues_after_invalid_rows_and_names_each(folder: Path) -> None:
    (folder / "runs" / "third").write_text(OTHER.replace("other", "third"))
    table = folder / "table.csv"
    table.write_text("run,team,pooled\ngood,Alpha,maybe\nother,Beta,yes\nthird,Gamma\n")
    with pytest.raises(CommandError) as caught:
        imported(folder, runs_table=table)
    assert str(caught.value).splitlines()[:-1] == [
        f"{table}: line 2: TABLE the value is neither yes nor no (field 3: 'maybe')",
        f"{table}: line 4: TABLE 2 columns, 3 expected ('third,Gamma')",
        "good.gz is not imported: line 2 of the runs table, which names it, has an error.",
        "third is not imported: line 4 of the runs table, which names it, has an error.",
    ]
    campaign = Campaign.objects.get(slug="small")
    assert list(campaign.runs.values_list("tag", "state", "team__name")) == [
        ("other", Run.State.ACCEPTED, "Beta")
    ]
    assert list(campaign.teams.values_list("name", flat=True)) == ["Beta"]  # none without a run

    table.write_text("run,team,pooled\ngood,Alpha,no\nother,Beta,yes\nthird,Gamma,no\n")
    assert imported(folder, runs_table=table).startswith("3 runs of 3 teams accepted.")


def test_unknown_run_types_are_told_and_the_runs_are_imported(folder: Path) -> None:
    table, errors = folder / "table.csv", io.StringIO()
    table.write_text("run,type\ngood,MANUAL\nother,interactive\n")
    assert imported(folder, runs_table=table, stderr=errors).startswith("2 runs of 1 team")
    assert errors.getvalue() == (
        f"{table}: warning: line 3: RUN_TYPE the run type is not automatic, manual or feedback, "
        "and counts as automatic ('interactive')\n"
    )
    assert tuple(Run.Type.values) == RUN_TYPES
    runs = Campaign.objects.get(slug="small").runs.order_by("tag")
    assert list(runs.values_list("tag", "run_type")) == [("good", "manual"), ("other", "automatic")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.json.gz", '{"1": {"A": 3.0, "B": 2.0}}'),
        ("mine.csv", "qid,docno,score\n1,A,3.0\n"),
        ("some.csv", "qid,docno,score,tag\n1,A,3.0,mine\n"),
        ("mine.jsonl", '{"qid": "1", "docno": "A", "score": 3.0}\n'),
        ("mine.tsv", "1\tA\t1\n"),
        ("some.run", "qid Q0 docno rank score tag\n1 Q0 A 1 3.0 mine\n"),
        ("some.txt", "# six words are in this comment\r\n1 Q0 A 1 3.0 mine\r\n"),
    ],
)
def test_the_table_names_runs_of_any_layout_by_their_tag(
    folder: Path, name: str, text: str
) -> None:
    data = text.encode()
    (folder / "runs" / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    table = folder / "table.csv"
    table.write_text("run,team\nmine,Alpha\n")
    assert "not in the folder" not in imported(folder, runs_table=table)
    assert Run.objects.get(tag="mine").team.name == "Alpha"


def test_renamed_runs_and_rows_without_a_file_are_told(folder: Path) -> None:
    table = folder / "table.csv"
    table.write_text(
        "run,run_name,team\ngood,Best,Alpha\nother,Best,Alpha\n"
        + "".join(f"gone{number},,Beta\n" for number in range(11))
    )
    said = imported(folder, runs_table=table).splitlines()
    renamed = "your team has another run of this name, so this run is named Best-2"
    gone = ", ".join(f"gone{number}" for number in range(10))
    assert f"input.other: {renamed}" in said
    assert f"The runs table names 11 runs that are not in the folder: {gone}, …" in said


@pytest.mark.parametrize(
    ("names", "files"),
    [
        (("../../evil", "org/model"), ["evil.gz", "org_model.gz"]),
        (("BM25(k1=0.9,b=0.4)", "a\\b:c*d"), ["BM25_k1_0.9_b_0.4.gz", "a_b_c_d.gz"]),
        (("con", "///"), ["{0}.gz", "{1}.gz"]),
        (("\U00020bb7" * 50, "\U00020bb7" * 51), ["\U00020bb7" * 50 + ".gz", "{1}.gz"]),
        (("splade++_ed", "SPLADE++_ed"), ["splade++_ed.{0}.gz", "SPLADE++_ed.{1}.gz"]),
    ],
)
def test_an_exported_file_has_a_safe_name(
    folder: Path, tmp_path: Path, names: tuple[str, str], files: list[str]
) -> None:
    imported(folder)
    campaign = Campaign.objects.get()
    runs = list(campaign.runs.order_by("pk"))
    for run, name in zip(runs, names, strict=True):
        Run.objects.filter(pk=run.pk).update(name=name)  # some only as older releases named runs
    folders.export_campaign(campaign, tmp_path / "out")
    expected = {name.format(*(run.public_id for run in runs)) for name in files}
    assert {path.name for path in (tmp_path / "out" / "runs").iterdir()} == expected


def test_a_tag_that_cannot_be_a_name_is_imported_once_the_table_names_the_run(folder: Path) -> None:
    path, table = folder / "runs" / "odd", folder / "table.csv"
    path.write_text(GOOD.replace("good", "@odd"))
    assert "line 1: TAG a run name begins with a letter" in imported_in_part(folder)
    table.write_text("run,run_name\n@odd,Odd\n")
    assert imported(folder, runs_table=table).startswith("3 runs of 1 team accepted.")
    assert Run.objects.get(tag="@odd", state=Run.State.ACCEPTED).name == "Odd"


def test_unknown_topics_are_refused_or_dropped_as_configured(folder: Path) -> None:
    (folder / "runs" / "unknown").write_text(UNKNOWN)
    assert "line 2: UNKNOWN_TOPIC" in imported_in_part(folder)
    imported(folder, slug="dropping", unknown_topics="drop")
    assert Run.objects.get(campaign__slug="dropping", tag="unknown").state == Run.State.ACCEPTED


def test_importing_twice_adds_nothing(folder: Path) -> None:
    imported(folder)
    before = list(Run.objects.order_by("pk").values())
    imported(folder)
    assert list(Run.objects.order_by("pk").values()) == before
    assert Campaign.objects.get(slug="small").qrels.count() == 1


def test_another_import_changes_the_settings_as_their_page_does(folder: Path) -> None:
    imported(folder)
    imported(folder, rel=2, name="Small")
    campaign = Campaign.objects.get(slug="small")
    assert (campaign.name, campaign.rel) == ("Small", 2)
    entry = campaign.log.get(verb="changed settings")
    assert set(entry.details["changed"]) == {"name", "rel"}
    scored = Evaluation.objects.filter(definitions=rules_of(campaign).digest)
    assert scored.filter(state=Evaluation.State.SCORED).count() == 2


def test_an_import_into_an_archived_campaign_changes_nothing(folder: Path) -> None:
    imported(folder)
    Campaign.objects.update(archived_at=timezone.now())
    before = Campaign.objects.values().get()
    organiser = make_user()
    with pytest.raises(CommandError, match=r"^The campaign is archived\. Unarchive it first\.$"):
        imported(folder, rel=2, organiser=organiser.email)
    assert Campaign.objects.values().get() == before
    assert not organiser.memberships.exists()


def test_an_exported_campaign_is_imported_with_the_same_scores(
    folder: Path, tmp_path: Path
) -> None:
    imported(folder, runs_table=folder / "table.csv")
    out = tmp_path / "out"
    call_command("export_campaign", "small", str(out), stdout=io.StringIO())
    assert sorted(p.name for p in (out / "runs").iterdir()) == ["good.gz", "other.gz"]
    assert gzip.decompress((out / "runs" / "other.gz").read_bytes()).decode() == OTHER
    imported(out, slug="again", runs_table=out / "runs.csv")
    assert scores("again") == scores("small")
    first, second = (Campaign.objects.get(slug=slug) for slug in ("small", "again"))
    assert list(first.topics.values_list("code", "position", "fields")) == list(
        second.topics.values_list("code", "position", "fields")
    )
    facts = ("tag", "team__name", "run_type", "is_pooled", "is_baseline")
    assert set(first.runs.values_list(*facts)) == set(second.runs.values_list(*facts))


def test_qrels_without_relevant_documents_come_back_with_a_warning(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "qrels.txt").unlink()
    imported(folder)
    before, _ = add_qrels(
        campaign=Campaign.objects.get(slug="small"),
        data=b"1 0 A 0\n02 0 A 0\n",
        note="",
        actor=None,
        is_confirmed=True,
    )
    out = tmp_path / "out"
    call_command("export_campaign", "small", str(out), stdout=io.StringIO())
    assert "2 runs of" in imported(out, slug="again")
    after = Campaign.objects.get(slug="again").active_qrels
    assert after is not None
    assert [*text_of(after)] == [*text_of(before)]
    assert "NO_RELEVANT" in {warning["code"] for warning in after.warnings}
    assert capsys.readouterr().err == (
        "qrels.txt.gz: warning: no document of any topic is relevant, that is of grade 1 or more\n"
    )


def test_unknown_topics_of_qrels_are_refused_with_or_without_relevant_documents(
    folder: Path,
) -> None:
    (folder / "qrels.txt").write_text("1 0 A 0\n9 0 A 0\n")
    with pytest.raises(CommandError, match="UNKNOWN_TOPIC"):
        imported(folder)


def test_a_team_that_the_table_spells_in_another_way_is_the_same_team(folder: Path) -> None:
    table = folder / "table.csv"
    table.write_text("run,team\ngood,Alpha\nother,ALPHA\n")
    imported(folder, runs_table=table)
    table.write_text("run,team\ngood,alpha\nother,Alpha\n")
    imported(folder, runs_table=table)
    campaign = Campaign.objects.get(slug="small")
    assert [team.name for team in campaign.teams.all()] == ["Alpha"]
    assert campaign.runs.count() == 2


def test_two_teams_with_one_tag_come_back_apart(folder: Path, tmp_path: Path) -> None:
    imported(folder, runs_table=folder / "table.csv")
    campaign = Campaign.objects.get(slug="small")
    run = campaign.runs.get(tag="other")
    data = OTHER.replace("2.0", "1.5").encode()
    stored = {
        "storage_key": default_storage.save("runs/xx/another", ContentFile(data)),
        "digest": hashlib.sha256(data).hexdigest(),
    }
    make_run(campaign, make_team(campaign, name="Beta"), tag="other", **stored)
    out = tmp_path / "out"
    call_command("export_campaign", "small", str(out), stdout=io.StringIO())
    imported(out, slug="again", runs_table=out / "runs.csv")
    teams = Run.objects.filter(campaign__slug="again", tag="other").values_list("team__name")
    assert sorted(teams) == [("Beta",), (run.team.name,)]


def test_two_teams_with_one_name_come_back_apart(folder: Path, tmp_path: Path) -> None:
    table = folder / "table.csv"
    table.write_text(f"run,team\ngood,{'Alpha' * 20}\nother,Beta\n")
    imported(folder, runs_table=table)
    campaign = Campaign.objects.get(slug="small")
    campaign.teams.filter(name="Beta").update(name="ALPHA" * 20)  # a blind campaign allows it
    later = campaign.teams.order_by("pk")[1]
    out = tmp_path / "out"
    call_command("export_campaign", "small", str(out), stdout=io.StringIO())
    imported(out, slug="again", runs_table=out / "runs.csv")
    again = Run.objects.filter(campaign__slug="again").order_by("team__pk")
    was = [(run.tag, run.team.name) for run in campaign.runs.order_by("team__pk")]
    was[1] = (was[1][0], f"{later.name[:91]} ({later.public_id[:6]})")
    assert sorted((run.tag, run.team.name) for run in again) == sorted(was)


def test_an_anonymous_team_comes_back_anonymous(folder: Path, tmp_path: Path) -> None:
    table = folder / "table.csv"
    table.write_text("run,team,anonymous\ngood,Alpha,yes\nother,Beta,\n")
    imported(folder, runs_table=table)
    out = tmp_path / "out"
    call_command("export_campaign", "small", str(out), stdout=io.StringIO())
    imported(out, slug="again", runs_table=out / "runs.csv")
    for slug in ("small", "again"):
        teams = Campaign.objects.get(slug=slug).teams.order_by("name")
        assert list(teams.values_list("name", "is_anonymous")) == [("Alpha", True), ("Beta", False)]


def test_an_import_is_its_organisers_draft(folder: Path) -> None:
    assert "no organiser yet" in imported(folder)
    organiser = make_user()
    assert "no organiser yet" not in imported(folder, organiser=organiser.email)
    campaign = Campaign.objects.get(slug="small")
    assert campaign.stage == Campaign.Stage.DRAFT
    assert campaign.memberships.get().person == organiser


def test_a_run_refused_for_unknown_topics_is_imported_once_they_are_dropped(
    folder: Path,
) -> None:
    (folder / "runs" / "unknown").write_text(UNKNOWN)
    assert "2 runs of 1 team" in imported_in_part(folder)
    assert "3 runs of 1 team" in imported(folder, unknown_topics="drop")


@pytest.mark.parametrize(
    "options", [{"slug": "My Track/x"}, {"rel": 9}, {"runs_table": Path("no-such-table.csv")}]
)
def test_an_invalid_folder_is_reported_in_one_line(
    folder: Path, options: dict[str, object]
) -> None:
    with pytest.raises(CommandError):
        imported(folder, **{"slug": "small"} | options)


def prepared(folder: Path, slug: str) -> Campaign:
    """The campaign of the folder, with none of its runs."""
    for path in (folder / "runs").iterdir():
        path.rename(folder / path.name)
    imported(folder, slug=slug)
    return Campaign.objects.get(slug=slug)


def run_files(folder: Path, count: int) -> list[Path]:
    paths = [folder / f"made{number}" for number in range(count)]
    for path in paths:
        path.write_text(GOOD.replace("good", path.name))
    return paths


def import_runs(campaign: Campaign, paths: list[Path]) -> dict[str, Exception]:
    return folders.import_runs(campaign=campaign, paths=paths, table=RunsTable())


def test_more_runs_take_no_more_statements_to_import(folder: Path) -> None:
    campaign = prepared(folder, "small")
    counts = []
    for paths in (run_files(folder, 9)[:2], run_files(folder, 9)[2:]):
        with CaptureQueriesContext(connection) as captured:
            assert import_runs(campaign, paths) == {}
        counts.append(len(captured))
    assert counts[1] < counts[0]  # the team is there
    assert counts[1] <= 12
    assert campaign.runs.count() == 9


def test_an_import_that_is_interrupted_leaves_nothing_behind(
    folder: Path, files_of_its_own: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    campaign = prepared(folder, "small")
    paths = run_files(folder, 3)
    with monkeypatch.context() as patch:
        patch.setattr("campaigns.scoring_hooks.enqueue_all", stop)
        with pytest.raises(KeyboardInterrupt):
            import_runs(campaign, paths)
    assert not campaign.runs.exists()
    assert not campaign.teams.exists()
    assert not campaign.log.filter(verb="uploaded").exists()
    assert stored_files("runs") == []
    assert import_runs(campaign, paths) == {}
    assert len(stored_files("runs")) == campaign.runs.count() == 3


def test_a_file_is_imported_once_though_it_is_there_twice(folder: Path) -> None:
    campaign = prepared(folder, "small")
    paths = [*run_files(folder, 1), folder / "copy"]
    paths[1].write_bytes(paths[0].read_bytes())
    assert import_runs(campaign, paths) == {}
    assert campaign.runs.count() == 1


def test_two_imports_of_one_folder_at_the_same_time_import_each_run_once(
    folder: Path,
    files_of_its_own: None,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    campaign = prepared(folder, "small")
    paths = run_files(folder, 2)
    submit = folders._submit

    def be_overtaken(*args: Any) -> None:
        monkeypatch.setattr(folders, "_submit", submit)
        import_runs(campaign, paths)
        submit(*args)

    monkeypatch.setattr(folders, "_submit", be_overtaken)
    with django_capture_on_commit_callbacks(execute=True):
        import_runs(campaign, paths)
    assert campaign.runs.count() == len(stored_files("runs")) == 2
    assert campaign.teams.count() == 1


def test_runs_of_an_import_are_checked_and_scored_after_uploads(folder: Path) -> None:
    imported(folder)
    assert set(Job.objects.values_list("kind", "priority")) == {
        ("check", Job.Priority.NORMAL),
        ("evaluate", Job.Priority.NORMAL),
    }


def test_a_folder_without_topics_says_so(tmp_path: Path) -> None:
    told = f"{tmp_path} has no topics file: topics.xml, topics.txt or topics.tsv."
    assert error_of_import(tmp_path) == told


def test_an_error_names_its_file_once(folder: Path) -> None:
    missing = folder / "no-table.csv"
    told = error_of_import(folder, runs_table=missing)
    assert told == f"{missing}: No such file or directory"
    (folder / "qrels.txt").write_text("1 0 A\n")
    assert error_of_import(folder).startswith(f"{folder}/qrels.txt: line 1: ")
    (folder / "qrels.txt").write_text("9 0 A 0\n")
    assert error_of_import(folder).startswith(f"{folder}/qrels.txt: line 1: UNKNOWN_TOPIC ")
    (folder / "topics.xml").write_text("no topics")
    assert error_of_import(folder).startswith(f"{folder}/topics.xml: ")


def error_of_import(folder: Path, **options: object) -> str:
    with pytest.raises(CommandError) as caught:
        imported(folder, **options)
    return str(caught.value)


def test_nothing_is_written_over(folder: Path) -> None:
    imported(folder)
    with pytest.raises(CommandError, match="is not empty"):
        call_command("export_campaign", "small", str(folder))


def test_an_export_that_cannot_be_written_or_lacks_a_file_says_so(
    folder: Path, tmp_path: Path
) -> None:
    imported(folder)
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="Not a directory"):
        call_command("export_campaign", "small", str(tmp_path / "file" / "out"))
    with pytest.raises(CommandError, match="No such file"):
        call_command("export_deposit", "small", str(tmp_path / "no-folder" / "out.zip"))
    run = Run.objects.get(tag="good")
    default_storage.delete(run.storage_key)
    with pytest.raises(CommandError, match=run.storage_key):
        call_command("export_campaign", "small", str(tmp_path / "out"))
