"""Deadlines of requests: what is due when, as it is written, and what amendments made of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.v1.deadlines import Deadline
from stemma_contracts.v1.ledger import LedgerRows
from stemma_evidence.requirements import FoundDeadline, Source, deadlines, difference, read_ledger, requirements
from stemma_testkit.plugin import examples

pytestmark = pytest.mark.req("L1", "B5")

LABELLED = Path(__file__).parent / "deadlines"


def found(text: str, language: str = "en") -> list[FoundDeadline]:
    demanded = {(one.unit.line, one.unit.text) for one in requirements(text, language)}
    return list(deadlines(text, language, demanded))


def told(text: str, language: str) -> list[str]:
    return [_told(one) for one in found(text, language)]


def _told(one: FoundDeadline) -> str:
    """What is due, its days, time and zone, what is doubted of it, and the words that say it."""
    due = one.due
    parts = (
        f"{one.kind} {'|'.join(due.days) or '-'}",
        f" until {due.until}" if due.until else "",
        f" at {due.time}" if due.time else "",
        f" {due.zone}" if due.zone else "",
        f" ({', '.join(due.doubts)}?)" if due.doubts else "",
        f": {due.written}",
    )
    return "".join(parts)


def cases() -> Iterator[tuple[str, str, list[str]]]:
    for line in (LABELLED / "told.tsv").read_text().splitlines():
        language, text, *due = line.split("\t")
        yield language, text.replace("\\n", "\n"), due


@pytest.mark.parametrize(("language", "text", "due"), list(cases()))
def test_what_is_due_is_told_by_the_words_around_the_date_and_other_dates_are_none(
    language: str, text: str, due: list[str]
) -> None:
    assert told(text, language) == due


def read(*sources: Source) -> list[Deadline]:
    ledger = read_ledger(sources, LedgerRows())
    assert ledger.deadlines is not None
    return list(ledger.deadlines.found)


def counting(found: list[Deadline]) -> list[Deadline]:
    return [one for one in found if not one.replaced_by]


FIRST = "# RFP\n\nProposals are due 12 March 2027 at 14:00.\n\nQuestions are due 1 March 2027.\n"


def test_another_version_of_a_source_says_what_a_deadline_was_and_which_file_changed_it() -> None:
    before = read_ledger([Source("brief", FIRST, "en", 1, "rfp.md")], LedgerRows())
    amended = FIRST.replace("12 March", "19 March").replace("# RFP", "# RFP\n\nWelcome.")
    after = read_ledger([Source("brief", amended, "en", 2, "rfp-2.md")], before)
    assert after.deadlines is not None
    submission, questions = after.deadlines.found
    (change,) = submission.changes
    assert (submission.deadline_id, submission.due.days) == ("D1", ("2027-03-19",))
    assert (change.before.written, change.version, change.file) == ("12 March 2027 at 14:00", 2, "rfp-2.md")
    assert (questions.changes, difference(before, after).deadlines) == ((), ("D1",))
    again = read_ledger([Source("brief", amended, "en", 2, "rfp-2.md")], after)
    assert again.deadlines == after.deadlines
    assert difference(after, again).deadlines == ()


def test_a_deadline_is_linked_with_the_row_of_the_same_words() -> None:
    (one,) = read(Source("brief", "The offeror shall submit its proposal by 1 May 2026.\n", "en"))
    assert one.requirement_id == "R1"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The deadline for submission is extended from 12 March 2027 to 19 March 2027, 16:00."),
        ("en", "Proposals are now due 19 March 2027, 16:00 instead of 12 March 2027."),
        ("en", "The deadline for proposals has been extended to 19 March 2027, 16:00."),
        ("it", "Dati i chiarimenti, il termine delle offerte è prorogato alle ore 16:00 del 19.3.2027."),
    ],
)
def test_a_sentence_of_an_amendment_replaces_the_deadline_that_it_moves(language: str, text: str) -> None:
    first, *_ = found = read(Source("brief", FIRST, "en"), Source("amendment.pdf", text, language, 1))
    questions, submission = counting(found)
    assert (questions.kind, submission.kind, submission.due.days) == ("questions", "submission", ("2027-03-19",))
    assert [(change.before.days, change.source) for change in submission.changes] == [
        (("2027-03-12",), "amendment.pdf")
    ]
    assert first.replaced_by == submission.deadline_id


def test_a_german_amendment_moves_a_deadline_and_a_second_one_moves_it_again() -> None:
    first = Source("brief", "Die Angebotsfrist endet am 12.03.2027, 14:00 Uhr.", "de")
    second = Source("nachtrag-1.pdf", "Die Angebotsfrist wird vom 12.03.2027 auf den 19.03.2027 verlängert.", "de")
    third = Source("nachtrag-2.pdf", "Die Angebotsfrist wird bis zum 26.03.2027 verlängert.", "de")
    (one,) = counting(read(first, second, third))
    assert one.due.days == ("2027-03-26",)
    assert [(change.before.days[0], change.source) for change in one.changes] == [
        ("2027-03-12", "nachtrag-1.pdf"),
        ("2027-03-19", "nachtrag-2.pdf"),
    ]


def test_an_amendment_moves_nothing_where_it_is_not_told_which_of_two_is_meant() -> None:
    lots = Source(
        "brief", "Proposals for lot 1 are due 12 March 2027.\n\nProposals for lot 2 are due 2 May 2027.\n", "en"
    )
    found = read(lots, Source("a.pdf", "The deadline for proposals has been extended to 19 May 2027.", "en"))
    assert [(one.replaced_by, one.changes) for one in found] == [("", ())] * 3


def test_the_four_states_of_a_real_notice_tell_how_its_deadline_moved() -> None:
    ledger = LedgerRows()
    for number in range(4):
        text = (LABELLED / f"talentmap-readme-{number}.md").read_text()
        ledger = read_ledger([Source("README.md", text, "en", number + 1)], ledger)
    assert ledger.deadlines is not None
    (offers,) = [one for one in ledger.deadlines.found if one.kind == "submission"]
    assert (offers.due.written, offers.due.zone) == ("March 6th, at 12:00pm, Eastern Time", "Eastern Time")
    assert [(one.before.written, one.version) for one in offers.changes] == [
        ("February 24th, at 6pm", 2),
        ("March 6th, at 6pm", 3),
    ]


@examples(100)
@given(
    st.lists(
        st.sampled_from(
            ["12 March 2027", "03/04/2027", "99/99/9999", "29.02.2027", "due", "by", "extended", "to", "instead of",
             "bis zum", "14:00", "p.m.", "(CET)", "|", "\n", "- ", "# ", "\x00", "‮", "<b>", "30 days after award", "٣"]
        ),
        max_size=30,
    ),
    st.sampled_from(["en", "de", "fr", "xx"]),
)  # fmt: skip
def test_whatever_a_text_holds_its_deadlines_are_words_of_it(pieces: list[str], language: str) -> None:
    text = " ".join(pieces)
    source = Source("brief", text, language)
    ledger = read_ledger([source], read_ledger([source], LedgerRows()))
    assert ledger.deadlines is not None
    ids = [one.deadline_id for one in ledger.deadlines.found]
    assert len(ids) == len(set(ids))
    assert all(one.due.written in one.quote for one in ledger.deadlines.found)


def test_a_sentence_of_ten_thousand_dates_is_read_in_its_length() -> None:
    assert len(found("Proposals are due 12 March 2027, " + "12 March 2027, " * 2000)) <= 200
