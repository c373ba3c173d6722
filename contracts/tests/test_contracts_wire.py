"""Envelope, tokens, subjects and the registry, with what strangers may send."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from stemma_contracts import (
    Contract,
    Envelope,
    Family,
    InvalidEnvelope,
    Registry,
    UnknownContract,
    UpcastFailed,
    registry,
    subjects,
)
from stemma_contracts.tokens import FileName, InvalidToken, Token, check_file_name, check_token, is_token

printable = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=40)
tokens = st.from_regex(r"\A[A-Za-z0-9_-]{1,64}\Z")
DIGEST = "0" * 64


@given(
    printable,
    printable,
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC)),
    st.integers(0, 2**53),
    st.dictionaries(st.sampled_from(["traceparent", "tracestate"]), printable),
)
def test_an_envelope_comes_back_from_its_headers(
    text: str, optional: str, time: datetime, sequence: int, trace: dict[str, str]
) -> None:
    envelope = Envelope(text, text, text, text, time, optional, optional, optional, sequence, trace)
    assert Envelope.from_headers(envelope.headers()) == envelope


@pytest.mark.parametrize("header", ["ce-id", "ce-type", "ce-source", "ce-subject", "ce-time"])
def test_a_missing_attribute_is_named(header: str) -> None:
    headers = Envelope("1", "t", "s", "d", datetime(2026, 1, 1, tzinfo=UTC)).headers()
    del headers[header]
    with pytest.raises(InvalidEnvelope, match=header):
        Envelope.from_headers(headers)


WITHOUT_A_VALUE = [
    ("ce-time", "yesterday"),
    ("ce-time", "2026-01-01T00:00:00"),
    ("ce-time", "0001-01-01T00:00:00+14:00"),
    ("ce-time", "9999-12-31T23:00:00-14:00"),
    ("ce-sequence", "1.5"),
]


@pytest.mark.parametrize(("header", "value"), WITHOUT_A_VALUE)
def test_an_attribute_without_a_valid_value_is_refused(header: str, value: str) -> None:
    headers = Envelope("1", "t", "s", "d", datetime(2026, 1, 1, tzinfo=UTC)).headers()
    with pytest.raises(InvalidEnvelope):
        Envelope.from_headers(headers | {header: value})


HOSTILE = ["", "*", ">", "a.b", "a b", "../x", "a/b", "a\\b", "ä", "a\n", "a\x00", "$JS", "a" * 65, "x.>", "‮a"]


@pytest.mark.req("E3")
@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_tokens_are_refused(value: str) -> None:
    assert not is_token(value)
    with pytest.raises(InvalidToken):
        check_token(value)
    with pytest.raises(ValidationError):
        TypeAdapter(Token).validate_python(value)


@given(tokens)
def test_tokens_of_the_alphabet_are_taken_as_they_are(value: str) -> None:
    assert check_token(value) == value


BUILDERS: list[Callable[[str], str]] = [
    lambda t: subjects.request(t, "create-document"),
    lambda t: subjects.answer("default", t),
    lambda t: subjects.event("default", t, "section-drafted"),
    lambda t: subjects.job(t, "generate-section"),
    lambda t: subjects.outcome("validator", t),
    lambda t: subjects.dead(t, "generate-section"),
    lambda t: subjects.live("default", "d-1", t),
    lambda t: subjects.presence("default", t, "d-1", "s-1"),
    lambda t: subjects.artifact("default", t, DIGEST),
    lambda t: subjects.record(t, "d-1", DIGEST),
    lambda t: subjects.large_artifact("default", t, DIGEST),
    lambda t: subjects.view_key("default", t),
    lambda t: subjects.section_view_key("default", "d-1", t),
    subjects.uploads_bucket,
]


@pytest.mark.parametrize("build", BUILDERS)
def test_no_hostile_token_becomes_part_of_a_subject(build: Callable[[str], str]) -> None:
    for value in HOSTILE:
        with pytest.raises(ValueError, match="must match"):
            build(value)


@given(tokens, tokens)
def test_a_request_subject_comes_back_from_its_parts(tenant: str, name: str) -> None:
    assert subjects.parse_request(subjects.request(tenant, name)) == subjects.RequestAddress(tenant, name)


@pytest.mark.parametrize("subject", ["stemma.event.v1.a.b", "stemma.request.v1.*.b", "stemma.request.v1.a", "x"])
def test_another_subject_is_not_a_request(subject: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (several messages, one meaning)
        subjects.parse_request(subject)


OUTSIDE = [
    "",
    "/etc/passwd",
    "../x",
    "a/../b",
    "a/..",
    "./a",
    ".",
    "a/.",
    ".hidden",
    "a/.ssh/id",
    "a\\b",
    "C:x",
    "a\x00b",
    "a//b",
]
MALFORMED = ["a/", "/".join("abcdefghi"), "a" * 256, "a\nb"]


@pytest.mark.parametrize("name", [*OUTSIDE, *MALFORMED])
def test_file_names_that_leave_their_folder_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="file name"):
        check_file_name(name)
    with pytest.raises(ValidationError):
        TypeAdapter(FileName).validate_python(name)


@pytest.mark.parametrize("name", ["brief.md", "media/plan.png", "Ablauf & Kosten (2).md"])
def test_plain_file_names_are_taken(name: str) -> None:
    assert check_file_name(name) == name


class Parcel(Contract):
    weight_grams: int


class OldParcel(Contract):
    weight_kg: int


def parcels() -> Registry:
    own = Registry()
    own.contract("stemma.parcel.v2", Family.EVENT)(Parcel)

    @own.upcaster("stemma.parcel.v1", OldParcel, "stemma.parcel.v2")
    def to_grams(old: OldParcel) -> dict[str, Any]:
        return {"weight_grams": old.weight_kg * 1000} if old.weight_kg else {"weight": None}

    return own


@pytest.mark.req("E2")
def test_data_of_an_old_version_arrives_as_the_new_one() -> None:
    assert parcels().decode("stemma.parcel.v1", b'{"weight_kg": 2}') == Parcel(weight_grams=2000)


@pytest.mark.req("E2")
def test_data_that_is_not_of_the_old_version_is_invalid_and_a_bug_in_an_upcaster_is_none_of_the_data() -> None:
    for wrong in (b"{}", b"[]", b'{"weight_kg": "x"}', b"\xff"):
        with pytest.raises(ValidationError):
            parcels().decode("stemma.parcel.v1", wrong)
    with pytest.raises(UpcastFailed, match=r"stemma\.parcel\.v1 to stemma\.parcel\.v2"):
        parcels().decode("stemma.parcel.v1", b'{"weight_kg": 0}')


def test_a_name_that_nobody_knows_is_refused() -> None:
    with pytest.raises(UnknownContract, match=r"stemma\.parcel\.v3"):
        parcels().decode("stemma.parcel.v3", b"{}")


UNREAD = """
import sys
from stemma_contracts import registry, v1
assert not [name for name in sys.modules if name.startswith("stemma_contracts.v1.")]
print(registry.entry_for("stemma.approve.section.v1").cls is v1.requests.ApproveSection)
"""


def test_messages_are_imported_when_one_is_looked_for() -> None:
    ended = subprocess.run([sys.executable, "-c", UNREAD], capture_output=True, text=True, check=True)
    assert ended.stdout == "True\n"


def test_a_wire_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        parcels().contract("stemma.parcel.v2", Family.EVENT)(Parcel)


def test_a_contract_is_found_by_class_wire_name_and_token() -> None:
    for entry in registry.entries():
        assert registry.entry_for(entry.ce_type) is registry.entry_of(entry.cls) is entry
        assert registry.by_token(entry.family, entry.token) is entry


def test_defaults_are_not_sent() -> None:
    request = registry.entry_for("stemma.pause.document.v1").cls.model_validate({"document_id": "d-1"})
    assert json.loads(registry.encode(request)) == {"document_id": "d-1"}
