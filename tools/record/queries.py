"""The parameters with which the pages of results are asked for: valid ones, one or several at a
time, and invalid ones."""

import re
from collections.abc import Mapping

# For every URL below a campaign that is not only for organisers.
COMMON = (
    "measure=AP",
    "measure=RBP(p=0.8)",
    "measure=nDCG@10&qrels=1",
    "measure=NumRet",  # has no scores by topic
    "measure=no-measure",
    "p=0.7",
    "p=2",
    "qrels=1",
    "qrels=9",
    "page=2",
    "page=x",
    "format=csv",
    "format=no-format",
    "unknown=1",
)
# By regular expressions for URL patterns. {run} and {other} are ids of runs, {team} is one
# of a team, {program} of a program that judges.
SPECIAL: Mapping[str, tuple[str, ...]] = {
    r"/leaderboard(/|\.csv|\.tex)$": (
        "columns=AP&columns=RR",
        "columns=no-measure",
        "ties=on",
        "ties=no",
        "ranks=on",
        "runs=best",
        "type=manual",
        "type=automatic&judged=yes",
        "team={team}",
        "team=no-team",
        "baseline={run}",
        "baseline={other}",
        "baseline={other}&correction=holm",
        "baseline={other}&correction=tukey",
        "sort=AP&columns=AP",
        "sort=judged",
        "measure=AP&ties=on&ranks=on&columns=nDCG@10",
        "as=public&at=published",
    ),
    r"/significance(/|\.csv|\.tex)$": (
        "test=wilcoxon",
        "test=randomisation&measure=AP",
        "test=no-test",
        "tail=one",
        "level=0.01",
        "correction=none",
        "correction=bh",
        "correction=tukey",
        "correction=tukey&tail=one",
        "against=top&measure=RBP(p=0.8)",
        "against=projected",
    ),
    r"/agreement(/|\.csv|\.tex|/runs/|/runs\.csv|/runs\.tex|/swaps/|/swaps\.csv|/swaps\.tex)$": (
        "statistic=tau_b",
        "statistic=tau_ap",
        "statistic=rbo&p=0.8",
        "statistic=no-statistic",
        "m=AP&m=RR&ref=AP",
        "a=AP&b=RR",
        "a=AP&b=RR&axes=ranks",
        "a=AP&against=1",
    ),
    r"/ranks/": ("difference=0.05&level=0.01&power=0.9", "difference=x", "level=0.3"),
    r"/estimates": ("measure=AP", "program={program}", "program=9", "to={run}", "to=no-run"),
    r"/compare": (
        "a={run}&b={other}",
        "a={run}&b={other}&measure=AP",
        "a={run}&b={run}",
        "a=no-run",
    ),
    r"/pools?(/|\.csv|\.tex)": ("depth=5", "depth=any", "depth=no-depth"),
    r"/topic(s|-matrix)": ("order=residual", "order=no-order"),
    r"/runs/<str:public_id>/": (
        "baseline={other}",
        "baseline={other}&correction=holm",
        "order=score",
        "topic=1",
        "topic=no-topic",
        "gain=graded",
        "p=0.8",
    ),
    r"/runs(/|\.csv)$": ("type=manual", "state=scored", "search=plain", "team={team}"),
    r"/scores(/|\.csv)$": ("run={run}", "format=trec_eval&run={run}", "run=no-run"),
    r"/qrels/<int:old>": ("table=runs", "table=topics&measure=AP", "table=no-table"),
    r"/judging/(plan|disagreements|agreement|boards|pool)": (
        "method=A&amount=5&unit=documents",
        "method=C&amount=5&unit=documents&p=0.5&start=1",
        "method=pooling&amount=3&unit=depth",
        "method=no-method",
        "state=decided",
        "topic=1",
        "depth=5",
    ),
    r"^measures/playground(/|\.csv)$": ("measure=AP&first=1&second=2", "measure=no-measure"),
    r"^measures/playground/topics/$": ("difference=0.1", "difference=x"),
    r"^campaigns/$|^api/campaigns/$|^$": ("stage=open", "stage=no-stage"),
    r"^snapshots/": ("measure=AP",),
}


def queries_for(pattern: str, ids: Mapping[str, str]) -> list[str]:
    """`ids` has run, other, team and program."""
    is_result = "campaigns/<slug:slug>/" in pattern and "/manage/" not in pattern
    found = list(COMMON) if is_result else []
    for expression, queries in SPECIAL.items():
        if re.search(expression, pattern):
            found += [query.format(**ids) for query in queries]
    return list(dict.fromkeys(found))
