"""States are replaced as `dataclasses.replace` does it."""

import dataclasses
import inspect
import pkgutil
from functools import cached_property
from importlib import import_module

import pytest
import stemma_document
from stemma_document.evolve import evolve
from stemma_document.replacing import replace
from stemma_document.state import Document, NoDocument
from stemma_testkit.document_events import document_requested

MODULES = [import_module(f"stemma_document.{each.name}") for each in pkgutil.iter_modules(stemma_document.__path__)]
STATES = {
    cls
    for module in MODULES
    for cls in vars(module).values()
    if inspect.isclass(cls) and dataclasses.is_dataclass(cls) and cls.__module__.startswith("stemma_document.")
}


def test_a_state_is_replaced_as_the_standard_library_does_it_and_the_one_before_stays() -> None:
    before = evolve(NoDocument(), document_requested())
    assert isinstance(before, Document)
    after = replace(before, number=7, requests={})
    assert after == dataclasses.replace(before, number=7, requests={})
    assert before == evolve(NoDocument(), document_requested())
    with pytest.raises(dataclasses.FrozenInstanceError):
        after.number = 8  # type: ignore[misc]


def test_no_state_has_what_a_replaced_one_would_lack_or_keep_from_before() -> None:
    assert Document in STATES
    for state in STATES:
        assert not hasattr(state, "__post_init__"), state
        assert "__slots__" not in vars(state), state
        assert not [name for name, value in vars(state).items() if isinstance(value, cached_property)], state
