"""What each URL answers to each role at each stage, by the part of the site it belongs to."""

from tests.access.matrix import (
    agreement,
    api,
    assessing,
    assignments,
    boards,
    comparison,
    downloads,
    guides,
    health,
    judging_plans,
    judging_quality,
    lifecycle,
    measures,
    people,
    pools,
    ranks,
    report,
    runs,
    significance,
)

PARTS = (
    judging_quality,
    lifecycle,
    people,
    runs,
    assignments,
    assessing,
    boards,
    agreement,
    significance,
    comparison,
    health,
    pools,
    ranks,
    report,
    downloads,
    guides,
    measures,
    judging_plans,
    api,
)
MATRIX = {name: entry for part in PARTS for name, entry in part.MATRIX.items()}
if len(MATRIX) != sum(len(part.MATRIX) for part in PARTS):
    raise ValueError("a URL is in two parts of the matrix")
