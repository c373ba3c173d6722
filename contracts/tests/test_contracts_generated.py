"""What is generated and committed: schemas, golden samples, the AsyncAPI document."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import generate
import jsonschema
import pytest
import yaml
from contract_tools import samples
from contract_tools.asyncapi import asyncapi, asyncapi_yaml
from contract_tools.schemas import GOLDEN, ROOT, SHARED, release, schemas
from referencing import Registry as Resources
from referencing import Resource
from stemma_contracts import Envelope, Family, registry, subjects

HERE = Path(__file__).parent
ENTRIES = list(registry.entries())
GOLDEN_FILES = sorted(GOLDEN.glob("*/*.json"))


described = cache(asyncapi)
schemas_of_all = cache(schemas)


@pytest.fixture(scope="module", autouse=True)
def made_once() -> Iterator[None]:
    """What is the same in whichever folder it is generated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generate, "schemas", schemas_of_all)
        patch.setattr(generate, "asyncapi_yaml", cache(asyncapi_yaml))
        yield


def read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.req("E2")
def test_committed_files_are_as_generated() -> None:
    assert list(generate.drift()) == []


@pytest.mark.req("E2")
def test_no_contract_breaks_its_committed_schema() -> None:
    assert list(generate.breaking()) == []


def test_drift_names_a_changed_file(tmp_path: Path) -> None:
    for path, content in generate.generated(tmp_path).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    assert list(generate.drift(tmp_path)) == []
    (tmp_path / "asyncapi.yaml").write_text("asyncapi: 3.0.0\n", encoding="utf-8")
    assert list(generate.drift(tmp_path)) == ["asyncapi.yaml is not as generated: run `make contracts`"]


def test_golden_samples_are_never_written_again(tmp_path: Path) -> None:
    first = tmp_path / "golden" / "0.0.1" / f"{ENTRIES[0].ce_type}.json"
    first.parent.mkdir(parents=True)
    first.write_text("{}", encoding="utf-8")
    written = {path.name for path in generate.generated(tmp_path) if "golden" in path.parts}
    assert written == {f"{e.ce_type}.json" for e in ENTRIES[1:]}


@pytest.mark.req("E2")
def test_every_release_that_added_contracts_has_its_golden_samples_for_ever() -> None:
    changelog = (ROOT.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## \[?(\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    kept = {path.parent.name for path in GOLDEN_FILES}
    assert releases
    assert releases[-1] in kept, "the first release brought the contracts"
    assert kept <= {*releases, release()}


@pytest.mark.req("E2")
@pytest.mark.parametrize("kind", ["full", "minimal"])
def test_golden_samples_decode_and_encode_to_the_same_data(kind: str) -> None:
    for path in GOLDEN_FILES:
        message = read(path)[kind]
        envelope = Envelope.from_headers(message["headers"])
        assert envelope.type == path.stem
        contract = registry.decode(envelope.type, json.dumps(message["data"]).encode())
        if registry.entry_of(contract).ce_type == path.stem:
            # Since after the first samples some are sent that were left out.
            always_sent: dict[str, object] = {name: [] for name in getattr(contract, "always_sent", ())}
            assert json.loads(registry.encode(contract)) == always_sent | message["data"], path


@pytest.mark.req("E2")
def test_golden_samples_with_fields_of_a_later_version_decode() -> None:
    for path in GOLDEN_FILES:
        data = read(path)["full"]["data"]
        later = json.dumps(data | {"added_later": {"deep": [1]}}).encode()
        assert registry.decode(path.stem, later) == registry.decode(path.stem, json.dumps(data).encode()), path


def test_full_samples_fill_every_field_with_something_that_is_sent() -> None:
    for entry in ENTRIES:
        data = samples.full(entry.cls)
        sent = json.loads(registry.encode(entry.cls.model_validate(data)))
        assert sent.keys() == entry.cls.model_fields.keys() - samples.LEFT_OUT.get(entry.cls, frozenset()), (
            entry.ce_type
        )


def test_full_samples_satisfy_the_schema() -> None:
    files = schemas_of_all()
    types = Resources().with_resource(SHARED, Resource.from_contents(files[SHARED]))
    for entry in ENTRIES:
        schema = files[f"{entry.ce_type}.json"]
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema, registry=types).validate(samples.full(entry.cls))


@pytest.mark.req("E2")
def test_asyncapi_document_satisfies_the_official_schema() -> None:
    # The schema is that of AsyncAPI 3.0.0, published under Apache-2.0, without its $id fields and white space.
    official = json.loads((HERE / "asyncapi-3.0.0.schema.json").read_text(encoding="utf-8"))
    errors = [e.message for e in jsonschema.Draft7Validator(official).iter_errors(described())]
    assert errors == []


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def resolves(document: Any, reference: str) -> bool:
    file, _, pointer = reference.partition("#/")
    if file:
        return (ROOT / file).is_file()
    for part in pointer.split("/"):
        document = document.get(part) if isinstance(document, dict) else None
    return document is not None


def test_every_reference_of_the_asyncapi_document_leads_somewhere() -> None:
    document = yaml.load((ROOT / "asyncapi.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    assert [r for r in references(document) if not resolves(document, r)] == []


def test_asyncapi_says_of_every_contract_who_sends_and_who_receives_it() -> None:
    for entry in ENTRIES:
        operations = described()["operations"]
        actions = {o["action"] for name, o in operations.items() if name.endswith(f".{entry.ce_type}")}
        assert actions == {"send", "receive"}, entry.ce_type


def test_asyncapi_requires_a_user_and_answers_every_request() -> None:
    assert described()["servers"]["nats"]["security"] == [{"$ref": "#/components/securitySchemes/user"}]
    receive = [o for n, o in described()["operations"].items() if n.startswith("orchestrator.receive.")]
    requests = [o for o in receive if o["channel"]["$ref"].startswith("#/channels/request.")]
    assert len(requests) == 2 * len(list(registry.entries(Family.REQUEST)))
    assert all(len(o["reply"]["messages"]) == len(list(registry.entries(Family.ANSWER))) for o in requests)


def test_asyncapi_has_the_workers_as_receivers_of_their_jobs_alone() -> None:
    operations = described()["operations"]
    for entry in registry.entries(Family.JOB):
        receivers = {n.split(".")[0] for n in operations if n.endswith(f".receive.{entry.ce_type}")}
        assert receivers == {entry.service}
        assert entry.service in subjects.WORKERS
