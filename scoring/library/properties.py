"""`trackside.properties`: the seven numeric properties of measures."""

from collections.abc import Iterable

import numpy as np

from scoring.core.measures.measure import BadMeasure, UnknownMeasure
from scoring.core.properties.properties import PROPERTIES
from scoring.core.properties.table import (
    FURTHER,
    PAPER,
    findings_of,
    measure_at_any_cutoff,
    shown_example,
    table_name,
)
from scoring.library.bad_input import BadInput
from scoring.library.evaluation import measure_texts
from scoring.library.measure_lines import refuse_huge
from scoring.library.table import Column, Table


def properties(measures: str | Iterable[str] | None = None, *, examples: bool = False) -> Table:
    """Which of the seven numeric properties measures have (A. Moffat, AIRS 2013).

    One row for each measure, one column of booleans for each property; with `examples` a counter-
    example for each property that the measure does not have. `P@k` stands for every cutoff. Without
    `measures` these are the rows of the paper and further ones. Raises BadInput.

    >>> table = properties(["RBP(p=0.8)", "AP"])
    >>> table["measure"], table["bounded"].tolist(), table["complete"].tolist()
    (['RBP(p=0.8)', 'AP'], [True, True], [True, False])
    """
    names = measure_texts(measures) if measures else [*PAPER, *FURTHER]
    faults = []
    rows = []
    for name in names:
        try:
            refuse_huge(name)
            measure = measure_at_any_cutoff(name)
        except (BadMeasure, UnknownMeasure) as error:
            faults.append(f"measures: {name}: {error}")
        else:
            rows.append((table_name(name, measure), findings_of(measure)))
    if faults:
        raise BadInput(faults)
    columns: dict[str, Column] = {"measure": [name for name, _ in rows]}
    for each in PROPERTIES:
        columns[each] = np.array([found[each].holds for _, found in rows])
    for each in PROPERTIES if examples else ():
        columns[f"{each}_example"] = [
            shown_example(found[each].counter_example) for _, found in rows
        ]
    return Table(columns)
