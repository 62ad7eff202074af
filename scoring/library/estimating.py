"""`trackside.estimate`: scores from a program's judgments, corrected by people's of a sample."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.problems import SHOWN_PROBLEMS, FormatError
from scoring.core.data.grades import HIGHEST_POSSIBLE_GRADE, UNJUDGED
from scoring.core.data.judgments import find_judgments
from scoring.core.data.ranking import Ranking, hash_doc_ids
from scoring.core.judging.candidates import Candidates, collect_candidates, find_candidates
from scoring.core.measures.measure import Measure
from scoring.core.sampling.difference import Estimates, ProgramScores, estimate_scores
from scoring.core.sampling.drawing import Sample
from scoring.core.sampling.intervals import mean_estimates
from scoring.core.sampling.worth import can_be_estimated, worth_of
from scoring.library.bad_input import BadArgument, BadInput
from scoring.library.measure_lines import GainMap, single_measures
from scoring.library.prepared import judgment_table, rank_run
from scoring.library.sample_file import SampledDocument, read_sample, sample_of_table
from scoring.library.sampling import DEFAULT_DEPTH
from scoring.library.score_tables import run_names
from scoring.library.scoring_options import declared_grade, worth_of_grades
from scoring.library.sources import (
    Path,
    Qrels,
    QrelsSource,
    Run,
    RunSources,
    open_file,
    read_qrels,
    read_runs,
)
from scoring.library.table import Table

_CAN: Final = "P, RBP, CG, DCG, SDCG, INSQ and WP, and nDCG with a cutoff"
_NAMED: Final = 3  # documents of a message


def estimate(
    runs: RunSources,
    sample: Table | Path,
    people: QrelsSource,
    program: QrelsSource,
    measures: str | Sequence[str],
    *,
    level: float = 0.95,
    differences: bool = False,
    depth: int = DEFAULT_DEPTH,
    rel: int = 1,
    gain_map: Mapping[int, float] | None = None,
) -> Table:
    """Scores with confidence intervals, from a program's judgments of all documents and people's of
    the sampled ones: `trackside estimate`.

    `sample` is what `sample` returned, or its file; `people` judge all of its documents and no
    others, `program` every document among the first `depth` of a run. One row for each run and
    measure: `run, measure, program, estimate, std_error, low, high, degrees`; `program` is the
    score by the program alone. With `differences`, one for each pair: `a, b, measure, program,
    estimate, ...`. Warns where the sample shows no error of the program: then there is no interval.
    Raises BadInput.

    >>> runs = {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    >>> sampled = {"topic": ["1"] * 3, "doc_id": ["a", "b", "c"], "stratum": np.zeros(3, int)}
    >>> sampled |= {"documents": np.full(3, 3), "probability": np.ones(3)}
    >>> drawn = Table(sampled | {"joint_probability": np.ones(3)})
    >>> people, program = {"1": {"a": 1, "b": 0, "c": 1}}, {"1": {"a": 1, "b": 1, "c": 0}}
    >>> found = estimate(runs, drawn, people, program, "P@2")
    >>> found[0].program, found[0].estimate, found[0].low
    (1.0, 0.5, 0.5)
    """
    name = "sample" if isinstance(sample, Table) else str(sample)
    try:
        if isinstance(sample, Table):
            drawn = sample_of_table(sample)
        else:
            with open_file(sample) as file:
                drawn = read_sample(file)
    except FormatError as error:
        raise BadInput(f"{name}: {line}" for line in str(error).splitlines()) from None
    asked = EstimationOptions(
        [measures] if isinstance(measures, str) else list(measures),
        level,
        differences,
        depth,
        rel,
        None if gain_map is None else tuple(sorted(gain_map.items())),
    )
    given = read_runs(runs), drawn, read_qrels(people), read_qrels(program)
    return estimated_scores(*given, asked, sample_name=name)


@dataclass(frozen=True)
class EstimationOptions:
    """What is estimated, and how."""

    measures: Sequence[str]
    level: float = 0.95
    differences: bool = False
    depth: int = DEFAULT_DEPTH
    rel: int = 1
    gain_map: GainMap | None = None
    called: str = "measures"  # what messages call the argument

    def refuse_bad(self) -> None:
        """Raises BadInput."""
        faults = []
        if not 0 < self.level < 1:
            faults.append(f"level: {self.level} is not a number between 0 and 1")
        if not 1 <= self.rel <= HIGHEST_POSSIBLE_GRADE:
            faults.append(f"rel: {self.rel} is not one of the grades 1..{HIGHEST_POSSIBLE_GRADE}")
        if self.depth < 1:
            faults.append(f"depth: {self.depth} is not a whole number above 0")
        if not self.measures:
            faults.append("measures: give at least one")
        if faults:
            raise BadInput(faults)

    def asked(self) -> tuple[Measure, ...]:
        """Raises BadInput for what cannot be estimated."""
        asked = single_measures(self.measures, rel=self.rel, called=self.called)
        wrong = [str(each) for each in asked if not can_be_estimated(each, self.depth)]
        if wrong:
            why = f"no estimate from a sample to depth {self.depth}; there is one for {_CAN}"
            raise BadInput([f"{self.called} {each}: {why}" for each in wrong])
        return asked

    def gains(self, highest_grade: int) -> NDArray[np.float64]:
        """The worth of each grade. Raises BadInput."""
        highest = max(highest_grade, declared_grade(self.gain_map))
        try:
            return worth_of_grades(self.gain_map, highest)
        except ValueError as error:
            raise BadArgument([("gain_map", str(error))]) from None


def estimated_scores(
    runs: Sequence[Run],
    drawn: Sequence[SampledDocument],
    people: Qrels,
    program: Qrels,
    options: EstimationOptions,
    *,
    sample_name: str,
) -> Table:
    """The rows of `estimate`; `sample_name` is what messages call the sample."""
    options.refuse_bad()
    asked = options.asked()
    if not runs:
        raise BadInput(["runs: give at least one"])
    rankings = [rank_run(run.parsed, max_depth=options.depth) for run in runs]
    topics = list(dict.fromkeys(each.topic for each in drawn))
    candidates = collect_candidates(rankings, topics=topics)
    places = _places(candidates, drawn, rankings, options.depth, sample_name)
    by_people = _grades_of_people(drawn, people, sample_name)
    by_program = _grades_of_program(candidates, program)
    gains = options.gains(max(int(by_people.max()), int(by_program.max())))
    ordered, judged = _as_sample(drawn, places, by_people)
    names = run_names([run.tag for run in runs], [run.name for run in runs])
    rows: list[tuple[object, ...]] = []
    for measure in asked:
        scored = ProgramScores(candidates, worth_of(measure, gains, options.depth), by_program)
        found = estimate_scores(scored, ordered, judged)
        rows += _rows(found, names, str(measure), options)
    return _table(rows, ("a", "b") if options.differences else ("run",))


def _table(rows: Sequence[tuple[object, ...]], keys: tuple[str, ...]) -> Table:
    names = (*keys, "measure")
    heading = (*names, "program", "estimate", "std_error", "low", "high", "degrees")
    columns = dict(zip(heading, zip(*rows, strict=True), strict=True)) if rows else {}
    table = Table(
        {
            name: list(map(str, cells)) if name in names else np.array(cells, np.float64)
            for name, cells in columns.items()
        }
    )
    unknown = sum(np.isnan(row.low) for row in table)
    if unknown:
        why = "people judged all sampled documents that count as the program did"
        warnings.warn(f"{unknown} rows without an interval: {why}", stacklevel=4)
    return table


def _rows(
    found: Estimates, names: Sequence[str], measure: str, options: EstimationOptions
) -> Iterator[tuple[object, ...]]:
    keys: list[tuple[str, ...]] = [(name,) for name in names]
    if options.differences:
        first, other = np.triu_indices(len(names), k=1)
        keys = [(names[a], names[b]) for a, b in zip(first.tolist(), other.tolist(), strict=True)]
        found = found.differences(first, other)
    means = mean_estimates(found, level=options.level)
    cells = (means.program, means.means, means.errors, means.low, means.high, means.degrees)
    for key, *numbers in zip(keys, *(each.tolist() for each in cells), strict=True):
        yield (*key, measure, *numbers)


def _places(
    candidates: Candidates,
    drawn: Sequence[SampledDocument],
    rankings: Sequence[Ranking],
    depth: int,
    name: str,
) -> NDArray[np.int64]:
    """int64[sampled]: where the documents stand among the candidates."""
    known = set(candidates.topics)
    # Their scores would be means over fewer topics than the runs have.
    other = sorted({topic for each in rankings for topic in each.topics} - known, key=str.encode)
    if other:
        why = "topics of the runs are not in the sample: draw one of all topics"
        raise BadInput([f"{name}: {len(other)} {why} ({', '.join(other[:10])})"])
    row_of = {topic: row for row, topic in enumerate(candidates.topics)}
    # Of other runs, or to another depth, the probabilities of the sample would be wrong.
    there = np.bincount(candidates.topic_rows, minlength=len(candidates.topics))
    again = f"give the runs and the depth ({depth} here) from which it was drawn"
    faults = [
        f"{name}: topic {topic}: the runs have {there[row]} documents, the sample was drawn from "
        f"{documents}: {again}"
        for topic, documents in {each.topic: each.documents for each in drawn}.items()
        if there[row := row_of[topic]] != documents
    ]
    if faults:
        raise BadInput(faults[:SHOWN_PROBLEMS])
    places = find_candidates(
        candidates,
        np.array([row_of[each.topic] for each in drawn], np.int32),
        np.array([each.doc_id.encode() for each in drawn]),
    )
    missing = [_named(each) for each, at in zip(drawn, places.tolist(), strict=True) if at < 0]
    if missing:
        one, many = f"is in no run: {again}", f"are in no run; {again}"
        raise BadInput([f"{name}: {_told_once(missing, one, many)}"])
    return places


def _grades_of_people(
    drawn: Sequence[SampledDocument], people: Qrels, sample_name: str
) -> NDArray[np.int8]:
    """int8[sampled]: each judged, and nothing else."""
    parsed = people.parsed
    columns = people.columns
    keys = zip(columns["topic"], columns["doc_id"], strict=True)
    # Keys are unique, since the reader of qrels refuses a document that is repeated.
    said = dict(zip(keys, parsed.grades.tolist(), strict=True))
    sampled = {(each.topic, each.doc_id) for each in drawn}
    other = [
        f"line {line}: document {doc_id} of topic {topic}"
        for (topic, doc_id), line in zip(said, parsed.lines.tolist(), strict=True)
        if (topic, doc_id) not in sampled
    ]
    unjudged = [_named(d) for d in drawn if said.get((d.topic, d.doc_id), UNJUDGED) < 0]
    faults = []
    if other:
        one = "is not in the sample: remove the line"
        many = "are not in the sample; remove their lines"
        faults.append(f"{people.name}: {_told_once(other, one, many)}")
    if unjudged:
        one = f"has no judgment in {people.name}: people judge all sampled documents"
        many = f"have no judgment in {people.name}; people judge all sampled documents"
        faults.append(f"{sample_name}: {_told_once(unjudged, one, many)}")
    if faults:
        raise BadInput(faults)
    return np.array([said[each.topic, each.doc_id] for each in drawn], np.int8)


def _grades_of_program(candidates: Candidates, program: Qrels) -> NDArray[np.int8]:
    """int8[candidates]: each judged."""
    table = judgment_table(program.parsed)
    row_of = np.array([table.row_of.get(topic, -1) for topic in candidates.topics], np.int32)
    places = find_judgments(
        table,
        rows=row_of[candidates.topic_rows],
        doc_ids=candidates.doc_ids,
        hashes=hash_doc_ids(candidates.doc_ids),
    )
    # Documents without a judgment have the place -1, which is that of the last entry.
    grades = np.append(table.grades, np.int8(UNJUDGED))[places]
    unjudged = [
        f"document {candidates.doc_ids[place].decode()} of topic "
        f"{candidates.topics[candidates.topic_rows[place]]}"
        for place in np.flatnonzero(grades == UNJUDGED).tolist()
    ]
    if unjudged:
        why = "the program judges all documents of the runs to this depth"
        one, many = f"has no judgment: {why}", f"have no judgment; {why}"
        raise BadInput([f"{program.name}: {_told_once(unjudged, one, many)}"])
    return grades


def _named(each: SampledDocument) -> str:
    return f"line {each.line}: document {each.doc_id} of topic {each.topic}"


def _told_once(documents: Sequence[str], one: str, many: str) -> str:
    """What is wrong with documents, in one line: their number, and the first of them."""
    if len(documents) == 1:
        return f"{documents[0]} {one}"
    first = "; ".join(documents[:_NAMED])
    more = "; ..." if len(documents) > _NAMED else ""
    return f"{len(documents):,} documents {many}: {first}{more}"


def _as_sample(
    drawn: Sequence[SampledDocument], places: NDArray[np.int64], people: NDArray[np.int8]
) -> tuple[Sample, NDArray[np.int8]]:
    """The sample, and people's grades in the order of its documents."""
    strata = np.array([each.stratum for each in drawn])
    # Stratum 0 comes first, and then the two documents of each stratum are neighbours.
    order = np.argsort(strata, kind="stable")
    certain = int((strata == 0).sum())
    paired = order[certain:].reshape(-1, 2)
    probabilities = np.array([each.probability for each in drawn])
    joint = np.array([each.joint for each in drawn])
    found = Sample(
        certain=places[order[:certain]],
        pairs=places[paired],
        probabilities=probabilities[paired],
        # The same for both of a stratum, which the reader of the file has checked.
        joint=joint[paired[:, 0]],
    )
    return found, people[order]
