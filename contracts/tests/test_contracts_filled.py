"""A model is filled by the names of its fields, and an outcome with the ids of its job."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError
from stemma_contracts.base import Contract, filled_from
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import Job, SectionJob
from stemma_contracts.v1.section import SectionPlan


@dataclass(frozen=True)
class Kept:
    title: str
    owner: str


class Sent(Contract):
    title: str
    version: int = 1


class Shown(Contract):
    title: str
    version: int


@pytest.mark.parametrize(
    ("sources", "own", "shown"),
    [
        ((Kept("kept", "anna"), Sent(title="sent", version=2)), {}, ("sent", 2)),
        ((Sent(title="sent"), Kept("kept", "anna")), {}, ("kept", 1)),
        ((Kept("kept", "anna"), Sent(title="sent", version=2)), {"title": "own"}, ("own", 2)),
    ],
)
def test_a_later_source_comes_before_an_earlier_one_and_own_fields_before_all(
    sources: tuple[object, ...], own: dict[str, object], shown: tuple[str, int]
) -> None:
    filled = filled_from(Shown, *sources, **own)
    assert (filled.title, filled.version) == shown


def test_what_no_source_has_is_refused() -> None:
    with pytest.raises(ValidationError, match="version"):
        filled_from(Shown, Kept("kept", "anna"))


def test_a_field_that_the_model_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match="Shown has no owner"):
        filled_from(Shown, Sent(title="sent"), owner="anna")


@pytest.mark.req("E10")
def test_an_outcome_says_the_ids_of_its_job_and_of_the_section_that_it_is_about() -> None:
    head = DocumentHead(document_id="bid", tenant="acme", kind="proposal", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    section = SectionPlan(section_id="price", title="Price", kind="default", graph="section")
    said = {"job_id": "bid.3.write.price", "tenant": "acme", "document_id": "bid"}
    assert Job(job_id="bid.3.write.price", document=head).echo() == said
    about = SectionJob(job_id="bid.3.write.price", document=head, section=section).echo()
    assert about == {**said, "section_id": "price"}
