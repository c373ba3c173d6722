"""What an event has to tell, and who wants to hear of it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.notifications import NotificationRules, Occasion
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.staleness import StaleMark
from stemma_notifier.happenings import Happening, first_wanted, happenings
from stemma_notifier.notices import notice_id
from stemma_testkit.document_events import REF, document_requested, review_requested, section_drafted

from .conftest import rule


def need_raised(kind: str) -> e.SectionNeedRaised:
    need = Need.model_validate({"need_id": "n1", "kind": kind, "checkpoint_id": "c1"})
    return e.SectionNeedRaised(section_id="research", job_id="j1", thread_id="t1", need=need)


FAILED: dict[str, Any] = {
    "section_id": "research",
    "job_id": "j1",
    "activity": Activity.GENERATE,
    "status": SectionStatus.FAILED,
}
STALE = tuple(StaleMark(section_id=one, reasons=()) for one in ("solution", "budget"))


@pytest.mark.req("H7")
@pytest.mark.parametrize(
    ("event", "told"),
    [
        (review_requested("research", 2), [Happening(Occasion.WAITING, ("research",), 2)]),
        (need_raised("question"), [Happening(Occasion.WAITING, ("research",))]),
        (need_raised("validation"), []),
        (e.DocumentCompleted(), [Happening(Occasion.FINISHED)]),
        (e.DocumentFailed(failed_sections=("research",)), [Happening(Occasion.FAILED)]),
        (e.SectionModelUnavailable(**FAILED), [Happening(Occasion.FAILED, ("research",))]),
        (
            e.SectionRestored(section_id="research", version=3, restored_version=1, draft=REF, makes_stale=STALE),
            [Happening(Occasion.STALE, ("solution", "budget"))],
        ),
        (document_requested(), []),
        (section_drafted("research"), []),
    ],
    ids=lambda x: type(x).__name__,
)
def test_an_event_tells_what_waits_ended_failed_or_became_stale_and_nothing_else(
    event: Any, told: list[Happening]
) -> None:
    assert list(happenings(event)) == told


@pytest.mark.req("H7")
def test_a_rule_hears_of_what_it_names_and_of_its_documents_alone() -> None:
    waits, stale = Happening(Occasion.WAITING, ("research",), 1), Happening(Occasion.STALE, ("solution",))
    assert first_wanted(rule(), "d1", [waits, stale]) == waits
    assert first_wanted(rule(on=["stale"]), "d1", [waits, stale]) == stale
    assert first_wanted(rule(on=["failed"]), "d1", [waits, stale]) is None
    assert first_wanted(rule(document_ids=["d1"]), "d1", [waits]) == waits
    assert first_wanted(rule(document_ids=["d2"]), "d1", [waits]) is None


@pytest.mark.req("H7")
def test_the_id_of_a_notice_is_that_of_its_event_and_rule() -> None:
    first, again = notice_id("e1", "default", "ada", "r1"), notice_id("e1", "default", "ada", "r1")
    others = {
        notice_id("e2", "default", "ada", "r1"),
        notice_id("e1", "other", "ada", "r1"),
        notice_id("e1", "default", "bob", "r1"),
        notice_id("e1", "default", "ada", "r2"),
    }
    assert first == again
    assert len(others - {first}) == 4


@pytest.mark.req("H7")
@pytest.mark.parametrize(
    "wrong",
    [
        {"webhook": "ftp://example.com/"},
        {"webhook": "https://me:secret@example.com/"},
        {"webhook": "https://example.com/\r\nx: y"},
        {"webhook": "https:///hook"},
        {"secret": "whsec_c2hvcnQ="},
        {"secret": None},
        {"email": "ada@example.com"},
        {"webhook": None, "secret": None, "email": "ada@example.com\r\nBcc: all@example.com"},
        {"webhook": None, "secret": None, "email": "ada@example.com, bob@example.com"},
        {"webhook": None, "secret": None},
        {"on": []},
        {"rule_id": "a.b"},
    ],
    ids=str,
)
def test_a_rule_that_names_no_plain_receiver_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        rule(**({"webhook": "https://example.com/hook"} | wrong))
    assert "whsec_c2hvcnQ" not in str(refused.value.errors(include_input=False))


@pytest.mark.req("H7")
def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(ValidationError, match="same rule_id"):
        NotificationRules(rules=(rule(), rule()))
