"""A defect that is planted nowhere proves nothing: each finds what it replaces."""

import inspect

import pytest
from stemma_testkit import defects

DEFECTS = [
    defect
    for name, defect in inspect.getmembers(defects, inspect.isfunction)
    if defect.__module__ == defects.__name__ and not name.startswith("_") and name not in ("planted", "code_of")
]


@pytest.mark.req("F1")
@pytest.mark.parametrize("defect", DEFECTS)
def test_each_defect_finds_what_it_replaces(defect: defects.Defect) -> None:
    with pytest.MonkeyPatch.context() as patch:
        defect(patch)
