"""A breaking change is caught, named with its field and with the services that read the contract."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import generate
import pytest
from contract_tools.compatibility import breaks, report
from contract_tools.schemas import as_json, schema_of
from stemma_contracts import registry

ENTRY = registry.entry_for("stemma.section.drafted.v1")
Schema = dict[str, Any]


def planted(change: Callable[[Schema], None]) -> list[str]:
    old = schema_of(ENTRY)
    new = copy.deepcopy(old)
    change(new)
    return report(ENTRY, breaks(old, new, ENTRY.family))


def remove_field(schema: Schema) -> None:
    del schema["properties"]["job_id"]


def remove_nested_field(schema: Schema) -> None:
    del schema["$defs"]["ArtifactRef"]["properties"]["size"]


def change_items(schema: Schema) -> None:
    schema["properties"]["starts"]["items"] = {"type": "integer"}


@pytest.mark.req("E2")
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (remove_field, "job_id: was removed"),
        (remove_nested_field, "draft.size: was removed"),
        (change_items, "starts[]: no longer takes string"),
    ],
)
def test_a_breaking_change_is_named_with_contract_field_and_readers(
    change: Callable[[Schema], None], expected: str
) -> None:
    assert f"stemma.section.drafted.v1: {expected}; read by orchestrator, notifier, client" in planted(change)


@pytest.mark.req("E2")
def test_a_removed_enum_value_is_named_with_the_service_that_reads_it() -> None:
    entry = registry.entry_for("stemma.convert.document.v1")
    old, new = schema_of(entry), schema_of(entry)
    new["$defs"]["ExportFormat"]["enum"].remove("pdf")
    expected = "stemma.convert.document.v1: format: no longer takes the value 'pdf'; read by converter"
    assert report(entry, breaks(old, new, entry.family)) == [expected]


@pytest.mark.req("E2")
def test_the_check_fails_on_a_field_that_the_committed_schema_has_and_the_contract_not(tmp_path: Path) -> None:
    committed = schema_of(ENTRY)
    committed["properties"]["colour"] = {"type": "string"}
    schema = tmp_path / "schemas" / f"{ENTRY.ce_type}.json"
    schema.parent.mkdir()
    schema.write_text(as_json(committed), encoding="utf-8")
    expected = "stemma.section.drafted.v1: colour: was removed; read by orchestrator, notifier, client"
    assert list(generate.breaking(tmp_path)) == [expected]
