"""What a person approved may be taken by other documents, which are told when it lapses: what rests on it is stale."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import domain_asking as asking
import pytest
from domain_inputs import begin, file, written_from_parts
from domain_story import DOCUMENT, Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.inputs import UsedInput
from stemma_contracts.v1.library import EntryRef, EntryView, Lapse
from stemma_contracts.v1.references import InputFile, UploadRole
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.validation import INTERNAL_WORDS
from stemma_domain.commands import Command, Elapsed
from stemma_domain.features.library.feature import (
    EXPIRED,
    Erased,
    Lapsed,
    LapseTold,
    TakenBy,
    notices,
    parting,
    timers,
)
from stemma_domain.staleness import staleness
from stemma_domain.view import view_of

pytestmark = pytest.mark.req("L8")
LATER = datetime(2027, 1, 1, tzinfo=UTC)
OTHER = "doc2"
ENTRY = EntryRef(document_id=OTHER, section_id="team", version=1)
TEXT = ref("the team of then")


def entry_of(story: Story, section_id: str = "research") -> EntryView | None:
    return view_of(story.document).sections[section_id].entry


def lapse(story: Story) -> Lapse | None:
    entry = entry_of(story)
    assert entry is not None
    return entry.lapse


def use_of(story: Story, version: int = 1, by: str = OTHER) -> Sequence[e.AnyEvent]:
    entry = EntryRef(document_id=DOCUMENT, section_id="research", version=version)
    return story.when(TakenBy(entry, by)).events


def told(story: Story) -> list[tuple[str, Lapse]]:
    """What users are told now; it is noted, as who tells them does."""
    found = list(notices(story.document))
    for _, _, noted in found:
        story.when(noted)
    return [(document_id, lapsed.lapse) for document_id, lapsed, _ in found]


@pytest.fixture
def approved(story: Story) -> Story:
    story.create()
    story.settle("research")
    return story


@pytest.fixture
def reusing(story: Story) -> Story:
    """A document that took an entry, and wrote a section from it."""
    begin(story, file("own.md"))
    story.reviewable("research")
    story.when(asking.reuse(story.asked(), ENTRY, TEXT)).then_types(e.EntryReused, e.DocumentInputAdded)
    story.when(asking.regenerate(story.asked(), "research", 1, None, False))
    story.drafted("research", "with the team of then")
    used = (UsedInput(input_id="input-2", parts=("a" * 12,)),)
    found = validation().model_copy(update={"used": used})
    story.outcome(o.DraftValidated, "research", validation=found)
    story.approve("research", 2)
    return story


def test_what_a_person_approved_is_an_entry_and_what_a_policy_let_pass_is_none(approved: Story) -> None:
    entry = entry_of(approved)
    assert entry is not None
    assert (entry.approved_by, entry.owner, entry.lapse) == ("ada", "ada", None)
    let_pass = Story()
    let_pass.create(review=ReviewPolicy(mode=ReviewMode.NONE))
    let_pass.reviewable("research")
    assert entry_of(let_pass) is None


def test_an_entry_lapses_with_its_approval_its_text_and_what_it_rests_on(approved: Story) -> None:
    approved.when(asking.withdraw_approval(approved.asked(), "research", 1))
    assert lapse(approved) == "unapproved"
    approved.approve("research")
    assert lapse(approved) is None
    approved.when(asking.describe(approved.asked(), "research", "bea", None, True)).then_types(e.EntryDescribed)
    entry = entry_of(approved)
    assert entry is not None
    assert (entry.owner, entry.lapse) == ("bea", "withheld")


@pytest.mark.parametrize(("role", "of_internal"), [("price", 0), ("evidence", 1)])
def test_what_rests_on_prices_or_has_words_of_what_is_internal_is_offered_to_nobody(
    story: Story, role: UploadRole, of_internal: int
) -> None:
    begin(story, file("rates.md", **InputFile.fields_of(role)))
    story.drafted("research")
    used = (UsedInput(input_id="input-1", whole=True),)
    rules = {INTERNAL_WORDS: of_internal} if of_internal else {}
    found = validation().model_copy(update={"used": used, "rules": rules})
    story.outcome(o.DraftValidated, "research", validation=found)
    story.approve("research")
    assert lapse(story) == "withheld"


def test_an_entry_expires_once_and_not_by_a_date_that_was_changed(approved: Story) -> None:
    def describe(expires: datetime) -> None:
        approved.when(asking.describe(approved.asked(), "research", "", expires, False)).then_types(e.EntryDescribed)

    describe(LATER)
    [old] = timers(approved.document, timedelta())
    describe(LATER + timedelta(days=1))
    [now] = timers(approved.document, timedelta())
    assert (now.name, now.at) == (EXPIRED, LATER + timedelta(days=1))
    approved.when(Elapsed(old)).then_nothing_happened()
    approved.when(Elapsed(now)).then_types(e.EntryExpired)
    approved.when(Elapsed(now)).then_nothing_happened()
    assert lapse(approved) == "expired"


def test_refuses_to_describe_what_nobody_approved_and_a_date_that_is_past(approved: Story) -> None:
    ask = asking.describe
    approved.when(ask(approved.asked(), "budget", "", None, False)).then_refused("entry_unapproved")
    past = ask(approved.asked(), "research", "", datetime(2025, 1, 1, tzinfo=UTC), False)
    approved.when(past).then_refused("due_past")


def test_who_took_an_entry_is_told_of_each_lapse_once(approved: Story) -> None:
    assert len(use_of(approved)) == 1
    assert use_of(approved) == ()
    assert told(approved) == []
    approved.when(asking.write(approved.asked(), "research", 1, ref("another text")))
    assert told(approved) == [(OTHER, "changed")]
    assert told(approved) == []
    entry = entry_of(approved)
    assert entry is not None
    assert [(use.document_id, use.version, use.told) for use in entry.uses] == [(OTHER, 1, "changed")]


def test_who_takes_again_what_is_offered_again_is_told_of_the_next_lapse(approved: Story) -> None:
    def withhold(withheld: bool) -> None:
        approved.when(asking.describe(approved.asked(), "research", "", None, withheld))

    use_of(approved)
    for _ in range(2):
        withhold(True)
        assert told(approved) == [(OTHER, "withheld")]
        withhold(False)
        assert len(use_of(approved)) == 1


def test_what_is_written_anew_is_as_it_was_approved_until_another_text_is(approved: Story) -> None:
    use_of(approved)
    approved.when(asking.regenerate(approved.asked(), "research", 1, None, False))
    approved.drafted("research", "another text")
    approved.validated("research")
    assert told(approved) == []
    approved.approve("research", 2)
    assert told(approved) == [(OTHER, "changed")]


def test_what_an_entry_rests_on_changed_and_a_person_who_keeps_it_approves_it_again() -> None:
    source = written_from_parts()
    use_of(source)
    source.when(asking.withdraw_input(source.asked(), "input-1", 1))
    assert told(source) == [(OTHER, "stale")]
    source.when(asking.keep(source.asked(), "research", 1))
    entry = entry_of(source)
    assert entry is not None
    assert (entry.lapse, entry.uses[0].told) == (None, None)


def test_an_entry_becomes_evidence_with_its_text(reusing: Story) -> None:
    view = view_of(reusing.document)
    taken = view.input("input-2")
    assert taken is not None
    assert (taken.name, taken.used_as, taken.text) == ("Team.md", "evidence", TEXT)
    assert [(one.entry, one.input_id, one.by) for one in view.reuses] == [(ENTRY, "input-2", "ada")]


def test_a_lapse_makes_stale_what_rests_on_the_input_and_nothing_else(reusing: Story) -> None:
    reusing.when(Lapsed(ENTRY, "expired")).then_types(e.EntryUseLapsed)
    stale = staleness(reusing.document)
    assert [(one.input_id, one.lapse) for one in stale["research"].inputs] == [("input-2", "expired")]
    assert set(stale) == {"research"}
    reusing.when(Lapsed(ENTRY, "expired")).then_nothing_happened()
    reusing.when(asking.keep(reusing.asked(), "research", 2)).then_types(e.SectionKept)
    assert not staleness(reusing.document)


def test_the_entry_of_now_takes_the_place_of_the_one_that_lapsed(reusing: Story) -> None:
    reusing.when(Lapsed(ENTRY, "changed"))
    newer = ENTRY.model_copy(update={"version": 2})
    taken = reusing.when(asking.reuse(reusing.asked(), newer, ref("the team of now")))
    taken.then_types(e.EntryReused, e.DocumentInputReplaced)
    reusing.when(Lapsed(ENTRY, "stale")).then_nothing_happened()


def test_a_file_that_a_person_gave_in_its_place_is_the_entry_no_more(reusing: Story) -> None:
    reusing.when(asking.replace_input(reusing.asked(), "input-2", 1, ref("their own"), True, False))
    for notice in (Lapsed(ENTRY, "changed"), Erased(ENTRY)):
        reusing.when(notice).then_nothing_happened()
    taken = reusing.when(asking.reuse(reusing.asked(), ENTRY, TEXT))
    taken.then_types(e.EntryReused, e.DocumentInputAdded)


def test_when_a_document_is_erased_who_took_its_texts_is_told_or_lets_them_go(reusing: Story) -> None:
    use_of(reusing, 2)
    entry = EntryRef(document_id=DOCUMENT, section_id="research", version=2)
    assert list(parting(reusing.document, erases=False)) == [(OTHER, Lapsed(entry, "gone"))]
    assert list(parting(reusing.document, erases=True)) == [(OTHER, Erased(entry))]
    reusing.when(Erased(ENTRY)).then_types(e.DocumentInputWithdrawn)
    reusing.when(Erased(ENTRY)).then_nothing_happened()


@pytest.mark.parametrize(
    "notice",
    [
        Lapsed(ENTRY.model_copy(update={"section_id": "other"}), "stale"),
        Lapsed(ENTRY.model_copy(update={"version": 7}), "stale"),
        LapseTold("research", "doc9", "stale"),
        TakenBy(EntryRef(document_id=DOCUMENT, section_id="nowhere", version=1), OTHER),
    ],
)
def test_what_is_told_of_what_is_not_here_changes_nothing(reusing: Story, notice: Command) -> None:
    reusing.when(notice).then_nothing_happened()


def test_refuses_the_same_entry_again_and_rows_that_are_not_there(reusing: Story) -> None:
    reusing.when(asking.reuse(reusing.asked(), ENTRY, TEXT)).then_refused("entry_reused")
    reusing.when(asking.reuse(reusing.asked(), ENTRY, TEXT, ["R7"])).then_refused("row_unknown")


def test_the_outcome_of_a_bid_is_said_and_taken_back(approved: Story) -> None:
    def say(outcome: str) -> Any:
        return approved.when(asking.record_outcome(approved.asked(), outcome))

    say("won").then_types(e.BidOutcomeRecorded)
    say("won").then_refused("outcome_same")
    assert view_of(approved.document).outcome == "won"
    say("open").then_types(e.BidOutcomeRecorded)
