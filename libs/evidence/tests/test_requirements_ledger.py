"""Ids that last through amendments, and what an amendment changes."""

from itertools import pairwise
from pathlib import Path

import pytest
from stemma_contracts.v1.ledger import LedgerRow, LedgerRows, RowCuts
from stemma_domain.features.ledger.feature import split_rows
from stemma_evidence.requirements import Source, difference, read_ledger, warnings_of
from stemma_evidence.requirements.ledger import cut_again

REVISIONS = Path(__file__).parent / "revisions"
REQUEST = """# RFP

## Work

The contractor shall deliver the software by 1 May 2026.

The contractor shall train ten users on site.

The contractor shall keep all records for five years.

The contractor shall answer calls within one hour.
"""


def read(text: str, previous: LedgerRows | None = None, name: str = "rfp.md") -> LedgerRows:
    return read_ledger([Source(name, text, "en")], previous or LedgerRows())


def quotes(ledger: LedgerRows) -> dict[str, str]:
    return {row.requirement_id: row.quote for row in ledger.rows}


@pytest.mark.req("L1")
def test_a_first_reading_numbers_the_demands_and_keeps_where_they_stand() -> None:
    ledger = read(REQUEST)
    assert [row.requirement_id for row in ledger.rows] == ["R1", "R2", "R3", "R4"]
    assert ledger.rows[1] == LedgerRow(
        requirement_id="R2",
        source="rfp.md",
        line=7,
        headings=("RFP", "Work"),
        quote="The contractor shall train ten users on site.",
        kind="work",
        obligation="mandatory",
    )


@pytest.mark.req("L2")
def test_the_same_text_read_again_changes_nothing() -> None:
    ledger = read(REQUEST)
    assert read(REQUEST, ledger) == ledger
    assert difference(ledger, ledger).model_dump() == {"new": (), "changed": (), "withdrawn": (), "deadlines": ()}


@pytest.mark.req("L2")
def test_an_amendment_tells_what_is_new_changed_and_withdrawn_and_a_row_that_moved_is_none_of_them() -> None:
    before = read(REQUEST)
    lines = [line for line in REQUEST.splitlines() if "answer calls" not in line and "ten users" not in line]
    amended = "\n\n".join(lines).replace("1 May 2026", "15 June 2026")
    moved = amended.replace("## Work", "## Work\n\nThe contractor shall answer calls within one hour.")
    after = read(f"{moved}\n\nThe contractor shall publish its source code.\n", before)
    told = difference(before, after)
    assert [row.quote for row in told.new] == ["The contractor shall publish its source code."]
    assert [(row.requirement_id, row.after.quote) for row in told.changed] == [
        ("R1", "The contractor shall deliver the software by 15 June 2026.")
    ]
    assert [row.requirement_id for row in told.withdrawn] == ["R2"]
    assert quotes(after)["R4"] == "The contractor shall answer calls within one hour."
    assert told.new[0].requirement_id == "R5"


@pytest.mark.req("L2")
def test_the_id_of_a_withdrawn_demand_is_never_given_again() -> None:
    before = read(REQUEST)
    without = read(REQUEST.replace("The contractor shall answer calls within one hour.", ""), before)
    assert "R4" not in quotes(without)
    again = read(REQUEST, without)
    assert set(quotes(again)) == {"R1", "R2", "R3", "R5"}


@pytest.mark.req("L2")
def test_demands_keep_their_ids_when_the_buyer_moves_them_to_another_file() -> None:
    before = read(REQUEST)
    after = read(REQUEST, before, name="amendment-1.md")
    assert quotes(after) == quotes(before)


@pytest.mark.req("L2")
def test_ids_are_stable_through_five_revisions_that_a_buyer_made() -> None:
    ledgers = [LedgerRows()]
    for number in range(6):
        ledgers.append(read((REVISIONS / f"rfq-{number}.md").read_text(), ledgers[-1], "rfq.md"))
    first, last = quotes(ledgers[1]), quotes(ledgers[-1])
    assert len(first) == 100
    assert set(first) <= set(last)
    assert {name: text.replace("> ", "") for name, text in first.items()} == {name: last[name] for name in first}
    told = [difference(*pair) for pair in pairwise(ledgers[1:])]
    assert [(len(one.new), len(one.changed), len(one.withdrawn)) for one in told] == [
        (0, 0, 0),
        (0, 0, 0),
        (1, 5, 0),
        (3, 3, 0),
        (0, 0, 0),
    ]


@pytest.mark.req("L1")
def test_what_a_person_added_stays_as_long_as_its_words_stand_in_the_source() -> None:
    before = read(REQUEST)
    own = {"requirement_id": "R5", "quote": "by 1 May 2026", "found_by": "person"}
    row = before.rows[0].model_copy(update=own)
    with_own = before.model_copy(update={"rows": (*before.rows, row), "given": 5})
    assert row in read(REQUEST, with_own).rows
    assert row not in read(REQUEST.replace("1 May", "2 May"), with_own).rows


COMPOUND = REQUEST.replace("train ten users on site.", "train ten users on site and write a manual for each role.")


def cut(ledger: LedgerRows, name: str, *beginnings: str) -> LedgerRows:
    quote = quotes(ledger)[name]
    return split_rows(ledger, [RowCuts(requirement_id=name, cuts=tuple(map(quote.index, beginnings)))])[0]


@pytest.mark.req("L2")
def test_a_row_that_a_person_cut_is_cut_there_again_when_its_request_is_read_again() -> None:
    before = cut(read(COMPOUND), "R2", "and write")
    after = read(f"Some words before.\n\n{COMPOUND}", before)
    assert quotes(after) == quotes(before)
    assert [row.line for row in after.rows] == [row.line + 2 for row in before.rows]
    assert difference(before, after).model_dump() == {"new": (), "changed": (), "withdrawn": (), "deadlines": ()}


@pytest.mark.req("L2")
def test_an_amendment_changes_only_the_part_whose_words_it_changes() -> None:
    before = cut(read(COMPOUND), "R2", "and write", "for each")
    after = read(COMPOUND.replace("ten users on site", "twelve users at three sites"), before)
    assert [row.requirement_id for row in difference(before, after).changed] == ["R2"]
    assert quotes(after)["R2"] == "The contractor shall train twelve users at three sites"
    assert (quotes(after)["R2-2"], quotes(after)["R2-3"]) == ("and write a manual", "for each role.")


@pytest.mark.req("L2")
def test_an_amendment_withdraws_the_part_whose_words_it_takes_out_and_the_others_stay() -> None:
    before = cut(read(COMPOUND), "R2", "and write")
    after = read(COMPOUND.replace(" and write a manual for each role", ""), before)
    told = difference(before, after)
    assert [row.requirement_id for row in told.withdrawn] == ["R2-2"]
    assert quotes(after)["R2"] == "The contractor shall train ten users on site."


@pytest.mark.req("L2")
def test_parts_go_with_their_demand_and_no_id_of_them_is_given_again() -> None:
    before = cut(read(COMPOUND), "R2", "and write")
    without = read(COMPOUND.replace(quotes(read(COMPOUND))["R2"], ""), before)
    assert set(quotes(without)) == {"R1", "R3", "R4"}
    shorter = read(COMPOUND.replace(" and write a manual for each role", ""), before)
    assert set(quotes(cut(shorter, "R2", "on site"))) == {"R1", "R2", "R2-3", "R3", "R4"}


@pytest.mark.req("L2")
def test_what_a_model_added_is_found_in_marked_up_words_and_moves_with_them() -> None:
    before = read(REQUEST)
    own = {"requirement_id": "R5", "quote": "five years", "line": 9, "found_by": "model"}
    row = before.rows[2].model_copy(update=own)
    with_own = before.model_copy(update={"rows": (*before.rows, row), "given": 5})
    after = read(f"A preface.\n\n{REQUEST}".replace("five years", "*five* years"), with_own)
    assert after.rows[-1] == row.model_copy(update={"line": 11})


@pytest.mark.req("L1")
def test_a_text_of_nothing_but_demands_gives_as_many_rows_as_a_ledger_can_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stemma_evidence.requirements.ledger.MOST_ROWS", 40)
    ledger = read("".join(f"The contractor shall do {number}.\n\n" for number in range(50)))
    assert len(ledger.rows) == 40
    assert ledger.more == 10


@pytest.mark.req("S6")
def test_parts_of_the_same_few_words_are_found_again_without_comparing_each_word_with_each() -> None:
    """`difflib` takes three seconds for one of these rows."""
    whole = read(REQUEST).rows[0].model_copy(update={"quote": "b a c " * 166 + "a b " * 250 + "end"})
    before = [
        whole.model_copy(update={"requirement_id": f"R1-{n}", "part_of": "R1", "quote": quote.strip()})
        for n, quote in enumerate(("a b " * 250, "b a c " * 166))
    ]
    for _ in range(50):
        assert sum(len(part.quote.split()) for part in cut_again(whole, before)) == 999


def warned(text: str, language: str = "en") -> list[str]:
    source = Source("rfp.md", text, language)
    return [one.code for one in warnings_of([source], read_ledger([source], LedgerRows()))]


@pytest.mark.req("L1", "B5")
@pytest.mark.parametrize(
    "text",
    [
        "Anbudet ska lämnas in senast den 12 mars. Leverantören ska utföra tjänsten i enlighet med avtalet och de krav "
        "som anges i bilagan. En anbudsgivare som inte uppfyller kraven kommer att uteslutas.",
        "Η προσφορά πρέπει να υποβληθεί έως τις 12 Μαρτίου. Ο ανάδοχος οφείλει να εκτελέσει την υπηρεσία σύμφωνα με "
        "τη σύμβαση και τις απαιτήσεις του παραρτήματος. Προσφορές που υποβάλλονται εκπρόθεσμα απορρίπτονται.",
    ],
    ids=("sv", "el"),
)
def test_a_request_in_a_language_that_is_not_known_is_warned_of(text: str) -> None:
    assert (warned(text), warned(text[:60])) == (["language_unknown"], [])


@pytest.mark.req("L1", "B5")
@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "it", "ja", "nl", "pt", "zh"])
def test_a_request_in_a_known_language_is_not_and_one_of_a_page_without_demands_or_deadlines_is(language: str) -> None:
    told = (Path(__file__).parent / f"translations/seen/the-debian-project/{language}.md").read_text()[:1500]
    assert "language_unknown" not in warned(told, language)
    prose = "The harbour is old. " * 200
    assert (warned(prose), warned("The harbour is old.")) == (["no_deadlines", "no_demands"], [])
    assert warned(f"{prose}\n\nThe bidder must submit its bid by 3 May 2027.\n") == []


BASE = """# Request

The closing date is 12 March 2027, 14:00.

## 3.2 Watchmen

The contractor shall provide two watchmen.

## 4.1 Crew

The contractor shall provide twelve divers.

The contractor shall feed the divers.

## 5 Papers

The contractor shall hold insurance.
"""
AMENDMENT = """# Amendment 3

1. Section 3.2 is deleted in its entirety.
2. In section 4.1 replace "twelve" with "eighteen".
3. The closing date of 12 March 2027, 14:00 is postponed to 26 March 2027, 14:00.
4. Insert after section 5: "The contractor shall hold a pilot licence."
"""


@pytest.mark.req("L2", "B7")
def test_an_amendment_in_words_marks_the_rows_that_it_touches_moves_the_date_and_adds_its_own() -> None:
    before = read_ledger([Source("base.md", BASE, "en")], LedgerRows())
    after = read_ledger([Source("base.md", BASE, "en"), Source("amend.md", AMENDMENT, "en")], before)
    told = {row.quote: row.amended for row in after.rows}
    assert told == {
        "The contractor shall provide two watchmen.": "amend.md:3: Section 3.2 is deleted in its entirety.",
        "The contractor shall provide twelve divers.": 'amend.md:4: In section 4.1 replace "twelve" with "eighteen".',
        "The contractor shall feed the divers.": "",
        "The contractor shall hold insurance.": "",
        'Insert after section 5: "The contractor shall hold a pilot licence."': "",
    }
    changed = difference(before, after)
    assert ([one.requirement_id for one in changed.changed], len(changed.new)) == (["R1", "R2"], 1)
    assert after.deadlines is not None
    (due,) = [one for one in after.deadlines.found if not one.replaced_by]
    assert due.due.days == ("2027-03-26",)


@pytest.mark.req("L2", "B7")
def test_an_amendment_touches_no_row_of_its_own() -> None:
    section = "## 3.2 Watchmen\n\n"
    sources = [
        Source("base.md", f"{section}The contractor shall provide two watchmen.\n", "en"),
        Source("a.md", f"{section}Section 3.2 is deleted.\n\nThe contractor shall provide one watchman.\n", "en"),
    ]
    rows = read_ledger(sources, LedgerRows()).rows
    assert [row.amended for row in rows] == ["a.md:3: Section 3.2 is deleted.", ""]


QUESTIONS = """# Questions and answers

## Question 1

Do the watchmen of section 3.2 need a licence? The text is silent.

Answer: They need none. Section 9 stays.

## Question 2

Q: Is parking free?
A: Yes.

| Question | Answer |
|---|---|
| May the divers of section 4.1 be hired? | No, they are staff. |

## Question 3

Q: Is section 3.2 binding?

### Calendar

| Day | Event |
|---|---|
| 1 May | Visit |
"""


@pytest.mark.req("L2", "B7")
def test_an_answer_marks_the_rows_of_the_section_that_was_asked_about_and_warns_of_no_other() -> None:
    sources = [Source("base.md", BASE, "en"), Source("qa.md", QUESTIONS, "en")]
    found = read_ledger(sources, LedgerRows())
    watch = "qa.md:7: Do the watchmen of section 3.2 need a licence? The text is silent. - They need none."
    hired = "qa.md:16: May the divers of section 4.1 be hired? - No, they are staff."
    assert {row.amended for row in found.rows if row.headings[-1][:3] in ("3.2", "4.1")} == {watch, hired}
    assert [one.code for one in warnings_of(sources, found)] == []


@pytest.mark.req("L2", "B7")
@pytest.mark.parametrize(
    ("language", "heading", "must", "deletes"),
    [
        ("de", "3.2 Wache", "Der Auftragnehmer muss zwei Wachen stellen.", "Abschnitt 3.2 wird ersatzlos gestrichen."),
        ("fr", "Article 3.2 Gardes", "Le titulaire doit fournir deux gardes.", "L'article 3.2 est supprimé."),
        ("es", "3.2 Guardas", "El adjudicatario deberá aportar dos guardas.", "Se suprime el apartado 3.2."),
        ("it", "3.2 Guardie", "L'appaltatore deve fornire due guardie.", "L'articolo 3.2 è soppresso."),
        ("nl", "3.2 Wacht", "De opdrachtnemer moet twee wachten leveren.", "Artikel 3.2 vervalt."),
        ("pt", "3.2 Guardas", "A contratada deve fornecer dois guardas.", "Fica suprimido o item 3.2."),
        ("ja", "第3.2条 警備", "受注者は警備員2名を配置すること。", "第3.2条を削除する。"),
        ("zh", "3.2 保安", "供应商必须派两名保安。", "第3.2条删除。"),
    ],
)
def test_a_section_is_deleted_in_each_language(language: str, heading: str, must: str, deletes: str) -> None:
    sources = [Source("base.md", f"## {heading}\n\n{must}\n", language), Source("a.md", f"{deletes}\n", language)]
    found = read_ledger(sources, LedgerRows())
    assert [row.amended for row in found.rows if row.source == "base.md"] == [f"a.md:1: {deletes}"]
    alone = [Source("base.md", f"## 9 X\n\n{must}\n", language), sources[1]]
    assert [one.code for one in warnings_of(alone, read_ledger(alone, LedgerRows()))] == ["amends_nothing"]
