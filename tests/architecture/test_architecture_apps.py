"""Every service is a FastStream application that is made without a server, and that says what the contracts say."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from importlib.metadata import entry_points
from typing import Any
from urllib.parse import unquote

import pytest
import yaml
from faststream import FastStream
from source_tree import ROOT
from stemma_contracts import Contract, Family, registry, subjects
from stemma_contracts.v1.outcomes import Outcome
from stemma_messaging import Delivery
from stemma_messaging.addresses import matches

Operation = tuple[str, str, str]
"""Action, address, and the class of the message."""
# What one handler takes in for many contracts.
GENERAL = {cls.__name__ for cls in (Outcome, Delivery)}
each_service = pytest.mark.parametrize("name", subjects.SERVICES)


def app_of(name: str) -> FastStream:
    (found,) = entry_points(group="stemma.services", name=name)
    service = found.load()
    app: FastStream = service.build_app(service.load_settings())
    return app


def resolved(document: Mapping[str, Any], ref: str) -> Any:
    found: Any = document
    for part in ref.removeprefix("#/").split("/"):
        found = found[unquote(part)]
    return resolved(document, found["$ref"]) if "$ref" in found else found


def told_by(app: FastStream) -> set[Operation]:
    """What an application says that it takes and publishes."""
    document: Any = app.schema.to_specification().to_jsonable()

    def operations() -> Iterator[Operation]:
        for operation in document["operations"].values():
            address = resolved(document, operation["channel"]["$ref"])["address"]
            for message in operation["messages"]:
                payload = resolved(document, message["$ref"])["payload"]
                yield operation["action"], address, payload["$ref"].rpartition("/")[2]

    return set(operations())


@cache
def first_app_of(name: str) -> FastStream:
    return app_of(name)


@cache
def told_of(name: str) -> frozenset[Operation]:
    """The same of a service."""
    return frozenset(told_by(first_app_of(name)))


@cache
def contracts() -> Any:
    return yaml.load((ROOT / "contracts/asyncapi.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def agreed(service: str) -> set[Operation]:
    """What the contracts say of a service, for what has a class: dead letters, tokens and cancellations have none."""
    document = contracts()
    classes: dict[str, type[Contract]] = {entry.ce_type: entry.cls for entry in registry.entries()}

    def operations() -> Iterator[Operation]:
        for operation in document["operations"].values():
            message = operation["messages"][0]["$ref"].rpartition("/")[2]
            if {"name": service} in operation["tags"] and message in classes:
                address = resolved(document, operation["channel"]["$ref"])["address"]
                yield operation["action"], address.replace("{service}", service), classes[message].__name__

    return set(operations())


def shared() -> set[str]:
    """The outcomes that any worker may have."""
    return {entry.cls.__name__ for entry in registry.entries(Family.OUTCOME) if entry.service is None}


def missing(service: str, told: AbstractSet[Operation]) -> list[Operation]:
    """What a service should say, and does not."""
    owed = [one for one in agreed(service) if one[2] not in shared()]
    return [one for one in owed if not any(covers(own, one) for own in told)]


def covers(told: Operation, other: Operation) -> bool:
    (action, pattern, cls), (other_action, address, other_cls) = told, other
    return action == other_action and matches(pattern, address) and cls in {other_cls, *GENERAL}


@pytest.mark.req("E2", "E10")
@each_service
def test_an_application_takes_and_tells_what_the_contracts_say(name: str) -> None:
    told, said = told_of(name), agreed(name)
    assert missing(name, told) == []
    assert [own for own in told if not any(covers(own, one) for one in said)] == []


def test_an_application_that_misses_a_contract_is_found() -> None:
    outcome = ("send", subjects.outcome(subjects.VALIDATOR, "draft-validated"), "DraftValidated")
    assert outcome in agreed(subjects.VALIDATOR)
    assert missing(subjects.VALIDATOR, told_of(subjects.VALIDATOR) - {outcome}) == [outcome]


@pytest.mark.req("E10")
@each_service
def test_an_application_is_made_anew_each_time_and_connects_to_nothing(name: str) -> None:
    first, second = first_app_of(name).broker, app_of(name).broker
    assert first is not None
    assert second is not None
    assert first is not second
    handlers = [{id(call.handler) for one in broker.subscribers for call in one.calls} for broker in (first, second)]
    assert handlers[0].isdisjoint(handlers[1])
