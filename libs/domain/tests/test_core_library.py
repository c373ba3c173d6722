"""What a person approved may be taken by other documents, which are told when it lapses: what rests on it is stale."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import domain_asking as asking
import pytest
from domain_inputs import begin, file, written_from_parts
from domain_story import DOCUMENT, Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.inputs import UsedInput
from stemma_contracts.v1.library import EntryRef, EntryUse, EntryView, Lapse
from stemma_contracts.v1.references import InputFile, UploadRole
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.validation import INTERNAL_WORDS
from stemma_domain.commands import Elapsed
from stemma_domain.features.library.feature import (
    EXPIRED,
    MOST_USES,
    Erased,
    Lapsed,
    LapseTold,
    TakenBy,
    is_told,
    notices,
    parting,
    timers,
)
from stemma_domain.staleness import staleness
from stemma_domain.state import with_section
from stemma_domain.view import view_of

pytestmark = pytest.mark.req("L8")
LATER = datetime(2027, 1, 1, tzinfo=UTC)
OTHER = "doc2"
ENTRY = EntryRef(document_id=OTHER, section_id="team", version=1)
TEXT = ref("the team of then")


def entry_of(story: Story) -> EntryView:
    entry = view_of(story.document).sections["research"].entry
    assert entry is not None
    return entry


def use_of(story: Story, version: int = 1, by: str = OTHER) -> Sequence[e.AnyEvent]:
    entry = EntryRef(document_id=DOCUMENT, section_id="research", version=version)
    return story.when(TakenBy(entry, by)).events


def told(story: Story) -> list[tuple[str, Lapse]]:
    """What users are told now; it is noted, as who tells them does."""
    found = list(notices(story.document))
    for _, _, noted in found:
        story.when(noted)
    return [(document_id, lapsed.lapse) for document_id, lapsed, _ in found]


def describe(story: Story, *, owner: str = "", expires: datetime | None = None, withheld: bool = False) -> Any:
    return story.ask(asking.describe, "research", owner, expires, withheld)


def uses(**what: Any) -> dict[str, Any]:
    """A validation of a text that rests on an input."""
    found = {"used": (UsedInput.model_validate(what),)}
    return {"validation": validation().model_copy(update=found)}


@pytest.fixture
def approved(begun: Story) -> Story:
    begun.settle("research")
    return begun


@pytest.fixture
def reusing(story: Story) -> Story:
    """A document that took an entry, and wrote a section from it."""
    begin(story, file("own.md"))
    story.reviewable("research")
    story.ask(asking.reuse, ENTRY, TEXT).then_types(e.EntryReused, e.DocumentInputAdded)
    story.ask(asking.regenerate, "research", 1, None, False)
    story.drafted("research", "with the team of then")
    story.outcome(o.DraftValidated, "research", **uses(input_id="input-2", parts=("a" * 12,)))
    story.approve("research", 2)
    return story


def test_what_a_person_approved_is_an_entry_and_lapses_with_that_approval_and_what_is_said_of_it(
    approved: Story,
) -> None:
    entry = entry_of(approved)
    assert (entry.approved_by, entry.owner, entry.lapse) == ("ada", "ada", None)
    approved.ask(asking.withdraw_approval, "research", 1)
    assert entry_of(approved).lapse == "unapproved"
    approved.approve("research")
    assert entry_of(approved).lapse is None
    describe(approved, owner="bea", withheld=True).then_types(e.EntryDescribed)
    assert (entry_of(approved).owner, entry_of(approved).lapse) == ("bea", "withheld")
    let_pass = Story()
    let_pass.create(review=ReviewPolicy(mode=ReviewMode.NONE))
    let_pass.reviewable("research")
    assert view_of(let_pass.document).sections["research"].entry is None


@pytest.mark.parametrize(("role", "of_internal"), [("price", 0), ("internal", 0), ("evidence", 1)])
def test_what_rests_on_prices_or_has_words_of_what_is_internal_is_offered_to_nobody(
    story: Story, role: UploadRole, of_internal: int
) -> None:
    begin(story, file("rates.md", **InputFile.fields_of(role)))
    story.drafted("research")
    found = uses(input_id="input-1", whole=True)["validation"]
    rules = {INTERNAL_WORDS: of_internal} if of_internal else {}
    story.outcome(o.DraftValidated, "research", validation=found.model_copy(update={"rules": rules}))
    story.approve("research")
    assert entry_of(story).lapse == "withheld"


def test_an_entry_expires_once_and_not_by_a_date_that_was_changed(approved: Story) -> None:
    describe(approved, expires=LATER).then_types(e.EntryDescribed)
    [old] = timers(approved.document, timedelta())
    describe(approved, expires=LATER + timedelta(days=1))
    [now] = timers(approved.document, timedelta())
    assert (now.name, now.at) == (EXPIRED, LATER + timedelta(days=1))
    approved.when(Elapsed(old)).then_nothing_happened()
    approved.when(Elapsed(now)).then_types(e.EntryExpired)
    approved.when(Elapsed(now)).then_nothing_happened()
    assert entry_of(approved).lapse == "expired"


def test_refuses_to_describe_what_nobody_approved_and_a_date_that_is_past(approved: Story) -> None:
    approved.ask(asking.describe, "budget", "", None, False).then_refused("entry_unapproved")
    describe(approved, expires=datetime(2025, 1, 1, tzinfo=UTC)).then_refused("due_past")


def test_who_took_an_entry_is_told_of_each_lapse_once(approved: Story) -> None:
    assert (len(use_of(approved)), use_of(approved), told(approved)) == (1, (), [])
    approved.ask(asking.write, "research", 1, ref("another text"))
    assert (told(approved), told(approved)) == ([(OTHER, "changed")], [])
    assert [(use.document_id, use.version, use.told) for use in entry_of(approved).uses] == [(OTHER, 1, "changed")]


def test_who_takes_again_what_is_offered_again_is_told_of_the_next_lapse(approved: Story) -> None:
    use_of(approved)
    for _ in range(2):
        describe(approved, withheld=True)
        assert told(approved) == [(OTHER, "withheld")]
        describe(approved)
        assert len(use_of(approved)) == 1


def test_who_takes_one_text_too_many_is_not_noted_and_hears_so(approved: Story) -> None:
    section = approved.document.sections["research"]
    uses = tuple(EntryUse(document_id=f"d{number}", version=1) for number in range(MOST_USES))
    approved.state = approved.read = with_section(
        approved.document, replace(section, entry=replace(section.entry, uses=uses))
    )
    entry = EntryRef(document_id=DOCUMENT, section_id="research", version=1)
    assert use_of(approved) == ()
    assert [is_told(approved.state, TakenBy(entry, name)) for name in (OTHER, "d7")] == [False, True]


def test_what_is_written_anew_is_as_it_was_approved_until_another_text_is(approved: Story) -> None:
    use_of(approved)
    approved.ask(asking.regenerate, "research", 1, None, False)
    approved.drafted("research", "another text")
    approved.validated("research")
    assert told(approved) == []
    approved.approve("research", 2)
    assert told(approved) == [(OTHER, "changed")]


def test_what_an_entry_rests_on_changed_and_a_person_who_keeps_it_approves_it_again() -> None:
    source = written_from_parts()
    use_of(source)
    source.ask(asking.withdraw_input, "input-1", 1)
    assert told(source) == [(OTHER, "stale")]
    source.ask(asking.keep, "research", 1)
    assert (entry_of(source).lapse, entry_of(source).uses[0].told) == (None, None)


def test_an_entry_becomes_evidence_with_its_text(reusing: Story) -> None:
    view = view_of(reusing.document)
    taken = view.input("input-2")
    assert taken is not None
    assert (taken.name, taken.used_as, taken.text) == ("Team.md", "evidence", TEXT)
    assert [(one.entry, one.input_id, one.by) for one in view.reuses] == [(ENTRY, "input-2", "ada")]
    reusing.ask(asking.reuse, ENTRY, TEXT).then_refused("entry_reused")
    reusing.ask(asking.reuse, ENTRY, TEXT, ["R7"]).then_refused("row_unknown")


def test_a_lapse_makes_stale_what_rests_on_the_input_and_nothing_else(reusing: Story) -> None:
    reusing.when(Lapsed(ENTRY, "expired")).then_types(e.EntryUseLapsed)
    stale = staleness(reusing.document)
    assert [(one.input_id, one.lapse) for one in stale["research"].inputs] == [("input-2", "expired")]
    assert set(stale) == {"research"}
    reusing.when(Lapsed(ENTRY, "expired")).then_nothing_happened()
    reusing.ask(asking.keep, "research", 2).then_types(e.SectionKept)
    assert not staleness(reusing.document)


def test_the_entry_of_now_takes_the_place_of_the_one_that_lapsed(reusing: Story) -> None:
    reusing.when(Lapsed(ENTRY, "changed"))
    newer = ENTRY.model_copy(update={"version": 2})
    taken = reusing.ask(asking.reuse, newer, ref("the team of now"))
    taken.then_types(e.EntryReused, e.DocumentInputReplaced)
    reusing.when(Lapsed(ENTRY, "stale")).then_nothing_happened()


def test_a_file_that_a_person_gave_in_its_place_is_the_entry_no_more(reusing: Story) -> None:
    reusing.ask(asking.replace_input, "input-2", 1, ref("their own"), True, False)
    for notice in (Lapsed(ENTRY, "changed"), Erased(ENTRY)):
        reusing.when(notice).then_nothing_happened()
    reusing.ask(asking.reuse, ENTRY, TEXT).then_types(e.EntryReused, e.DocumentInputAdded)


def test_when_a_document_is_erased_who_took_its_texts_is_told_or_lets_them_go(reusing: Story) -> None:
    use_of(reusing, 2)
    entry = EntryRef(document_id=DOCUMENT, section_id="research", version=2)
    assert list(parting(reusing.document, erases=False)) == [(OTHER, Lapsed(entry, "gone"))]
    assert list(parting(reusing.document, erases=True)) == [(OTHER, Erased(entry))]
    reusing.when(Erased(ENTRY)).then_types(e.DocumentInputWithdrawn)
    reusing.when(Erased(ENTRY)).then_nothing_happened()


def test_what_is_told_of_what_is_not_here_changes_nothing(reusing: Story) -> None:
    for notice in (
        Lapsed(ENTRY.model_copy(update={"section_id": "other"}), "stale"),
        Lapsed(ENTRY.model_copy(update={"version": 7}), "stale"),
        LapseTold("research", "doc9", "stale"),
        TakenBy(EntryRef(document_id=DOCUMENT, section_id="nowhere", version=1), OTHER),
    ):
        reusing.when(notice).then_nothing_happened()


def test_the_outcome_of_a_bid_is_said_and_taken_back(approved: Story) -> None:
    approved.ask(asking.record_outcome, "won").then_types(e.BidOutcomeRecorded)
    approved.ask(asking.record_outcome, "won").then_refused("outcome_same")
    assert view_of(approved.document).outcome == "won"
    approved.ask(asking.record_outcome, "open").then_types(e.BidOutcomeRecorded)
