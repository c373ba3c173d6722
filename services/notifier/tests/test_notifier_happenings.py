"""What an event has to tell, and who wants to hear of it."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.notifications import NotificationRule, NotificationRules, Occasion
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.staleness import StaleMark
from stemma_contracts.v1.usage import Usage
from stemma_domain.evolve import with_usage_before
from stemma_notifier.notices import Happening, Notice, Spent, happenings, notice_id, reached, wanted_by
from stemma_notifier.sending import body_of, subject_of, words_of
from stemma_testkit.document_events import REF, document_requested, review_requested, section_drafted

from .conftest import notice, rule


def need_raised(kind: str) -> e.SectionNeedRaised:
    need = Need.model_validate({"need_id": "n1", "kind": kind, "checkpoint_id": "c1"})
    return e.SectionNeedRaised(section_id="research", job_id="j1", thread_id="t1", need=need)


FAILED: dict[str, Any] = {
    "section_id": "research",
    "job_id": "j1",
    "activity": Activity.GENERATE,
    "status": SectionStatus.FAILED,
}
BUDGET_REACHED = e.DocumentBudgetReached(
    question="q1", bound="cost", sections=("research", "solution"), usage=Usage(), budget=Budget(cost=1)
)
TEXT: dict[str, Any] = {"section_id": "research", "version": 3, "draft": REF}
STALE = tuple(StaleMark(section_id=one, reasons=()) for one in ("solution", "budget"))


@pytest.mark.req("H7")
@pytest.mark.parametrize(
    ("event", "told"),
    [
        (review_requested("research", 2), [Happening(Occasion.WAITING, ("research",), 2)]),
        (e.SectionEdited(**TEXT, origin=Origin.WRITTEN), []),
        (
            e.SectionEdited(**TEXT, origin=Origin.WRITTEN, awaits_review=True),
            [Happening(Occasion.WAITING, ("research",), 3)],
        ),
        (
            e.SectionRestored(**TEXT, restored_version=1, awaits_review=True),
            [Happening(Occasion.WAITING, ("research",), 3)],
        ),
        (need_raised("question"), [Happening(Occasion.WAITING, ("research",))]),
        (need_raised("validation"), []),
        (BUDGET_REACHED, [Happening(Occasion.WAITING, ("research", "solution"))]),
        (e.DocumentCompleted(), [Happening(Occasion.FINISHED)]),
        (e.DocumentFailed(failed_sections=("research",)), [Happening(Occasion.FAILED)]),
        (e.SectionModelUnavailable(**FAILED), [Happening(Occasion.FAILED, ("research",))]),
        (
            e.SectionRestored(**TEXT, restored_version=1, makes_stale=STALE),
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


DUE = datetime(2026, 12, 1, 17, tzinfo=UTC)
ASKED: dict[str, Any] = {"section_id": "research", "assignee": "bea", "due": DUE}


@pytest.mark.req("H2", "H7")
@pytest.mark.parametrize(
    ("event", "occasion"),
    [
        (e.SectionAssigned(**ASKED), Occasion.ASSIGNED),
        (e.SectionDueSoon(**ASKED), Occasion.DUE_SOON),
        (e.SectionOverdue(**ASKED), Occasion.OVERDUE),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_somebody_is_asked_to_see_to_is_told_to_that_person_and_to_programs_alone(
    event: Any, occasion: Occasion
) -> None:
    told = [Happening(occasion, ("research",), assignee="bea", due=DUE)]
    wants = rule(on=[occasion.value])
    assert list(happenings(event)) == told
    assert wanted_by("bea", wants, "d1", told) == told
    assert wanted_by(subjects.PROGRAMS, wants, "d1", told) == told
    assert wanted_by("ada", wants, "d1", told) == []
    assert wanted_by("bea", rule(), "d1", told) == []


@pytest.mark.req("H2", "H7")
def test_a_mail_and_a_webhook_tell_whose_it_is_and_when_it_is_due() -> None:
    due = datetime(2026, 12, 1, 17, tzinfo=timezone(timedelta(hours=1)))
    sent = notice(occasion=Occasion.OVERDUE, assignee="bea", due=due)
    read = Notice.model_validate_json(sent.model_dump_json(exclude_defaults=True))
    assert subject_of(read) == "Stemma: Research is overdue"
    assert {"It is assigned to bea.", "Due: 2026-12-01 17:00+01:00."} <= set(words_of(read))
    told = json.loads(body_of(read))
    assert (told["type"], told["data"]["assignee"]) == ("stemma.overdue", "bea")
    assert told["data"]["due"] == "2026-12-01T17:00:00+01:00"
    assert not {"assignee", "due"} & set(json.loads(body_of(notice()))["data"])


@pytest.mark.req("H7")
def test_a_rule_hears_of_what_it_names_and_of_its_documents_alone() -> None:
    waits, stale = Happening(Occasion.WAITING, ("research",), 1), Happening(Occasion.STALE, ("solution",))
    assert wanted_by("ada", rule(), "d1", [waits, stale]) == [waits]
    assert wanted_by("ada", rule(on=["stale"]), "d1", [waits, stale]) == [stale]
    assert wanted_by("ada", rule(on=["stale", "waiting"]), "d1", [waits, stale]) == [waits]
    assert wanted_by("ada", rule(on=["failed"]), "d1", [waits, stale]) == []
    assert wanted_by("ada", rule(document_ids=["d1"]), "d1", [waits]) == [waits]
    assert wanted_by("ada", rule(document_ids=["d2"]), "d1", [waits]) == []


def budget(**limits: Any) -> NotificationRule:
    return rule(on=["budget"], **limits)


USAGES = st.builds(
    Usage, input_tokens=st.integers(0, 50), output_tokens=st.integers(0, 50), cost=st.sampled_from([0.0, 0.1, 0.2, 0.7])
)


@pytest.mark.req("H7")
@given(st.lists(USAGES, max_size=12), st.integers(1, 400), st.sampled_from([0.1, 0.3, 0.6, 1.1, 5.0]))
def test_of_all_events_of_a_document_one_reaches_a_budget_or_none(costs: list[Usage], tokens: int, cost: float) -> None:
    so_far, spent = Usage(), list[Spent]()
    for usage in costs:
        event = with_usage_before(section_drafted("research").model_copy(update={"usage": usage}), so_far)
        spent += [one.spent for one in happenings(event) if one.spent]
        so_far = so_far.plus(usage)
    of_tokens = [one for each in spent if (one := reached(budget(tokens=tokens), each))]
    of_cost = [one for each in spent if (one := reached(budget(cost=cost), each))]
    assert len(of_tokens) == (so_far.tokens >= tokens)
    assert len(of_cost) == (so_far.cost >= cost)
    assert all(one.tokens == tokens and one.spent.tokens >= tokens and one.cost is None for one in of_tokens)


@pytest.mark.req("H7")
def test_an_event_that_fails_a_section_and_reaches_the_budget_is_told_as_both() -> None:
    paid: dict[str, Any] = {"usage": Usage(output_tokens=60), "usage_before": Usage(output_tokens=50)}
    told = happenings(e.SectionModelUnavailable(**FAILED, **paid))
    both = wanted_by("ada", rule(on=["failed", "budget"], tokens=100), "d1", told)
    assert [one.occasion for one in both] == [Occasion.FAILED, Occasion.BUDGET]
    assert [one for limit in (50, 111) for one in wanted_by("ada", budget(tokens=limit), "d1", told)] == []


@pytest.mark.req("H7", "E6")
def test_an_event_of_a_release_that_did_not_say_what_was_spent_before_reaches_no_budget() -> None:
    assert section_drafted("research").usage.tokens > 0
    assert wanted_by("ada", budget(tokens=1), "d1", happenings(section_drafted("research"))) == []


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
        {"on": ["budget"]},
        {"tokens": 5},
        {"on": ["budget"], "tokens": 0},
        {"on": ["budget"], "cost": float("nan")},
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
