"""`trackside.Site`: a site from scripts and notebooks."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

from scoring.library.sources import Qrels, Run, RunSource, read_qrels, read_run
from scoring.library.table import Table
from trackside.client.connection import Connection
from trackside.client.errors import SiteError, problems_in_words
from trackside.client.records import table_of
from trackside.client.upload import Progress, upload_of

_UNDER_WAY: Final = frozenset({"waiting", "checking", "scoring"})
_POLL: Final = 2.0  # seconds


@dataclass(frozen=True)
class SubmittedRun:
    """A run on a site. `status` is accepted or scored at the end, `scores` has one row for each
    measure, if you may see them."""

    id: str
    name: str
    status: str
    scores: Table = field(repr=False)
    problems: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict, repr=False)  # all that the API says


class Site:
    """A Trackside site.

    `url` is that of the site, `token` is created on your account page; by default it is that of the
    environment variable `TRACKSIDE_TOKEN`. Without a token you see what the public sees. Requests
    that a busy site refuses are repeated, at most `attempts` times. Results are tables. Raises
    SiteError.

    >>> site = Site("https://trackside.example", token="secret")
    >>> site
    <Site https://trackside.example/>
    """

    def __init__(
        self, url: str, token: str | None = None, *, timeout: float = 60.0, attempts: int = 5
    ) -> None:
        token = token or os.environ.get("TRACKSIDE_TOKEN")
        self._connection = Connection(url, token, timeout=timeout, attempts=attempts)

    def __repr__(self) -> str:
        return f"<Site {self._connection.url}>"

    def campaigns(self, *, stage: str | None = None) -> Table:
        """The campaigns that you may see."""
        return self._table("campaigns/", {"stage": stage}, needed=["slug"])

    def campaign(self, slug: str) -> dict[str, Any]:
        """One campaign: stage, dates, rules, your roles and team."""
        return self._connection.get(_path(slug)).record("slug")

    def topics(self, slug: str) -> Table:
        """The topics, once they are released: code, title and further fields."""
        answer = self._connection.get(_path(slug, "topics"))
        return table_of(
            {"code": topic["code"], **answer.pairs(topic["fields"])}
            for topic in answer.records("code", "fields")
        )

    def runs(
        self,
        slug: str,
        *,
        team: str | None = None,
        type: str | None = None,
        state: str | None = None,
    ) -> Table:
        """The runs that you may see, the newest first."""
        params = {"team": team, "type": type, "state": state}
        return self._table(_path(slug, "runs"), params, needed=["id", "name"])

    def run(self, slug: str, run: str) -> SubmittedRun:
        """One run, by its id: status, problems, scores."""
        answer = self._connection.get(_path(slug, "runs", run))
        record = answer.record("id", "name", "scores")
        problems = answer.checked(record.get("problems") or [], "message")
        return SubmittedRun(
            id=str(record["id"]),
            name=str(record["name"]),
            status=str(record.get("status", "")),
            scores=table_of(answer.checked(record["scores"])),
            problems=tuple(problems_in_words(problems)),
            record=record,
        )

    def submit(
        self,
        slug: str,
        run: RunSource,
        *,
        name: str | None = None,
        run_type: str | None = None,
        description: str | None = None,
        priority: int | None = None,
        replaces: str | None = None,
        team: str | None = None,
        answers: Mapping[str, object] | None = None,
        key: str | None = None,
        wait: float = 600.0,
        progress: Progress | None = None,
    ) -> SubmittedRun:
        """Submits a run, and waits at most `wait` seconds until it is checked and scored.

        `run` is a path, or anything that `read_run` takes. `answers` are those to further fields of
        the run description form. A run is submitted once, however often a request is repeated; to
        repeat the whole call, for example after a crash, give the same `key` again. `progress` is
        called with a sentence at each step: try `progress=print`. Raises SiteError if the run is
        refused, with the lines of its problems.
        """
        report = progress or (lambda _: None)
        answered = {f"answer_{each}": value for each, value in (answers or {}).items()}
        fields = {
            "name": name,
            "run_type": run_type,
            "description": description,
            "priority": priority,
            "replaces": replaces,
            "team": team,
        }
        upload = upload_of(run, fields | answered, name=name, progress=report)
        headers = upload.headers | {"Idempotency-Key": key or uuid4().hex}
        answer = self._connection.post(_path(slug, "runs"), headers, upload.body)
        return self._followed(slug, str(answer.record("id")["id"]), wait, report)

    def try_file(
        self,
        slug: str,
        run: RunSource,
        *,
        name: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Checks a run as a submission is checked, without submitting it, also before you have a
        team: name, tag, topics, lines, warnings and validation report. Raises SiteError if the run
        would be refused, with the lines of its problems."""
        fields = {"name": name}
        upload = upload_of(run, fields, name=name, progress=progress or (lambda _: None))
        answer = self._connection.post(_path(slug, "runs", "try"), upload.headers, upload.body)
        return answer.record("name", "tag", "topics", "lines")

    def board(
        self,
        slug: str,
        measure: str | None = None,
        *,
        p: float | None = None,
        qrels: int | None = None,
        columns: str | Iterable[str] = (),
        team: str | None = None,
        type: str | None = None,
        judged: str | None = None,
        best_per_team: bool = False,
        ties: bool = False,
        baseline: str | None = None,
        correction: str | None = None,
        wait: float = 600.0,
    ) -> Table:
        """The leaderboard: rank, run, team, base, residual, upper and more. `columns` are further
        measures, `p` another persistence of RBP, `ties` adds the effect of ties, `baseline` the
        differences from a run, and `correction` says how their p-values are corrected for all runs
        ("max-t" or "holm")."""
        params = {
            "measure": measure,
            "p": p,
            "qrels": qrels,
            "columns": _texts(columns),
            "team": team,
            "type": type,
            "judged": judged,
            "runs": "best" if best_per_team else None,
            "ties": "on" if ties else None,
            "baseline": baseline,
            "correction": correction,
        }
        return self._table(_path(slug, "leaderboard"), params, needed=["run"], wait=wait)

    def scores(
        self,
        slug: str,
        measure: str | None = None,
        *,
        qrels: int | None = None,
        run: str | None = None,
        wait: float = 600.0,
    ) -> Table:
        """Scores by topic, of all runs whose scores you may see or of one run, by its id. A worker
        of the site writes more than 100,000 rows: waits at most `wait` seconds for it."""
        params = {"measure": measure, "qrels": qrels, "run": run}
        needed = ["run", "topic"]
        return self._table(_path(slug, "scores"), params, needed=needed, wait=wait)

    def topic_means(self, slug: str, measure: str | None = None) -> Table:
        """The mean of all runs on each topic."""
        return self._table(_path(slug, "topic-means"), {"measure": measure}, needed=["topic"])

    def significance(
        self,
        slug: str,
        measure: str | None = None,
        *,
        qrels: int | None = None,
        test: str | None = None,
        tail: str | None = None,
        level: str | None = None,
        correction: str | None = None,
        against: str | None = None,
        wait: float = 600.0,
    ) -> Table:
        """Which pairs of runs differ significantly. Waits until the site has computed it."""
        params = {
            "measure": measure,
            "qrels": qrels,
            "test": test,
            "tail": tail,
            "level": level,
            "correction": correction,
            "against": against,
        }
        return self._table(_path(slug, "significance"), params, needed=["a", "b"], wait=wait)

    def agreement(
        self,
        slug: str,
        measures: str | Iterable[str] = (),
        *,
        p: float | None = None,
        qrels: int | None = None,
    ) -> Table:
        """Whether measures rank the runs in the same order."""
        params = {"m": _texts(measures), "p": p, "qrels": qrels}
        return self._table(_path(slug, "agreement"), params)

    def qrels(self, slug: str) -> Table:
        """The qrels versions that you may see."""
        return self._table(_path(slug, "qrels"), needed=["version"])

    def read_qrels(self, slug: str, version: int) -> Qrels:
        """One qrels version."""
        return self._connection.get(_path(slug, "qrels", version)).file(read_qrels)

    def read_run(self, slug: str, run: str) -> Run:
        """The file of a run, by its id."""
        return self._connection.get(_path(slug, "runs", run, "file")).file(read_run)

    def _table(
        self,
        path: str,
        params: Mapping[str, object] | None = None,
        *,
        needed: Sequence[str] = (),
        wait: float = 0.0,
    ) -> Table:
        return table_of(self._connection.get_ready(path, params, wait=wait).records(*needed))

    def _followed(self, slug: str, run: str, wait: float, report: Progress) -> SubmittedRun:
        until = time.monotonic() + wait
        reported = ""
        while True:
            found = self.run(slug, run)
            if found.status != reported:
                reported = found.status
                report(reported)
            if found.status == "refused":
                raise SiteError("The run was refused.", code="refused", problems=found.problems)
            if found.status not in _UNDER_WAY or time.monotonic() + _POLL > until:
                return found
            time.sleep(_POLL)


def _texts(given: str | Iterable[str]) -> list[str] | None:
    return [given] if isinstance(given, str) else list(given) or None


def _path(slug: str, *parts: object) -> str:
    return "/".join(["campaigns", *(quote(str(part), safe="") for part in (slug, *parts)), ""])
