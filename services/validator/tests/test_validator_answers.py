"""The blocks of a draft that answer the requirements of its section."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from stemma_artifacts.store import ArtifactStore
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.jobs import DraftHistory, ValidateDraft
from stemma_contracts.v1.ledger import AnswersFound, LedgerRow, LedgerRows
from stemma_contracts.v1.references import ArtifactRef, InputFile, UploadRole
from stemma_evidence.requirements import Answer, Answers
from stemma_validator.answers import AnswersCheck
from stemma_validator.engines import RumdlEngine
from stemma_validator.handlers import on_validate_draft

from .conftest import DOCUMENT, TENANT, stored, tools_of

pytestmark = pytest.mark.req("L1")

PAIRS = Path(__file__).parent / "answers"
DRAFT = """# Training

Our trainers are kind.

We train ten users on site.

| task | by |
|---|---|
| records kept for five years | archive |
"""


def row(name: str, quote: str, announced_by: str = "") -> LedgerRow:
    return LedgerRow(
        requirement_id=name, source="rfp.md", line=1, quote=quote, announced_by=announced_by,
        kind="work", obligation="mandatory",
    )  # fmt: skip


ROWS = LedgerRows(
    given=3,
    rows=(
        row("R1", "The contractor shall train ten users on site."),
        row("R2", "keep all records for five years", "The contractor shall:"),
        row("R3", "The contractor shall answer calls within one hour."),
    ),
)

WITH_IDS = DraftHistory()

Find = Callable[..., Awaitable[tuple[AnswersFound | None, BlockIndex | None]]]


@pytest.fixture
def find(artifacts: ArtifactStore, rumdl: RumdlEngine, job_for: Callable[..., Awaitable[ValidateDraft]]) -> Find:
    """Validates a draft whose section has these rows; what was found, and the blocks of the draft."""

    async def run(
        *wanted: str,
        text: str = DRAFT,
        history: DraftHistory | None = WITH_IDS,
        ledger: ArtifactRef | None = None,
        **inputs: InputFile,
    ) -> tuple[AnswersFound | None, BlockIndex | None]:
        body = ROWS.model_dump_json().encode()
        rows = await artifacts.put(TENANT, DOCUMENT, body, media_type="application/json", name="rows.json")
        about: dict[str, Any] = {"history": history, "ledger": ledger or rows, "requirements": wanted}
        about |= {"brief": rows, "inputs": tuple(inputs.values())} if inputs else {}
        job = (await job_for(text)).model_copy(update=about)
        told = (await on_validate_draft(job, tools=tools_of(artifacts, rumdl))).validation
        return told.answers, await stored(artifacts, told.blocks, BlockIndex) if told.blocks else None

    return run


async def test_a_row_that_a_draft_answers_is_told_with_its_block_and_no_other(find: Find) -> None:
    found, index = await find("R1", "R2", "R3")
    assert found is not None
    assert index is not None
    texts = {block.block_id: DRAFT[block.start : block.end].strip() for block in index.blocks}
    told = {one.requirement_id: texts[one.block_id] for one in found.found}
    assert told == {"R1": "We train ten users on site.", "R2": DRAFT[DRAFT.index("| task") :].strip()}
    assert found.sought == ("R1", "R2", "R3")
    other, _ = await find("R3")
    assert (other and other.sought, other and other.found) == (("R3",), ()), "only rows of the section are looked for"


@pytest.mark.req("B4")
@pytest.mark.parametrize(("used_as", "answered"), [("request", False), ("form", False), ("evidence", True)])
async def test_words_of_the_buyer_answer_nothing(
    find: Find, artifacts: ArtifactStore, used_as: UploadRole, answered: bool
) -> None:
    words = "On site, ten users are trained in the use of the new pumps."
    ref = await artifacts.put(TENANT, DOCUMENT, words.encode(), media_type="text/markdown", name="a.md")
    given = InputFile(name="a.md", artifact=ref, input_id="input-1", **InputFile.fields_of(used_as))
    found, _ = await find("R1", text=f"# Training\n\n{words}\n", given=given)
    assert found is not None
    assert bool(found.found) is answered


@pytest.mark.req("B4")
def test_a_request_does_not_answer_itself() -> None:
    request = """# Work

We expect that users are trained by the contractor on site. The contractor shall train
ten users on site, and [keep records](#b) for five years. Users of the site are ten.
"""
    asked = row("R1", "The contractor shall train ten users on site, and keep records for five years.")
    assert Answers(request, "en", (asked,), (request,)).answer_to(asked) is None


async def test_nothing_is_told_where_the_ledger_is_lost_or_blocks_have_no_ids(find: Find) -> None:
    lost = ArtifactRef(digest="0" * 64, size=1, media_type="application/json", name="rows.json")
    assert (await find("R1", ledger=lost))[0] is None
    assert (await find("R1", history=None))[0] is None


async def test_a_large_draft_is_looked_through_in_a_process_of_its_own(
    find: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = await find("R1", "R2", "R3")
    monkeypatch.setattr("stemma_validator.confined.SAFE_CHARACTERS", 10)
    there, _ = await find("R1", "R2", "R3")
    assert here == there


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        ("Calls are answered within one hour.", True),
        ("Calls are not answered within one hour.", False),
        ("Whether calls are answered within one hour is open.", False),
        ("The contractor shall answer calls within one hour.", False),
        ("## Calls\n\nThey are answered within one hour.", True),
    ],
)
def test_what_is_denied_left_open_or_only_demanded_again_is_no_answer(text: str, answered: bool) -> None:
    found = Answers(text, "en", ROWS.rows).answer_to(ROWS.rows[2])
    assert (found is not None) is answered


@pytest.mark.parametrize(
    ("demand", "text", "answered"),
    [
        ("Name your zoologist.", "Name your zoologist", False),
        ("Name your zoologist.", "> **Name** your zoologist!", False),
        ("Name your zoologist.", "The request says: name your zoologist.", False),
        ("Name your zoologist and her field. Attach her diploma.", "Name your zoologist and her field.", False),
        ("Name your zoologist and her field.", "Our zoologist is Ada Berg; her field is seals.", True),
        ("The contractor shall train ten users on site.", "the CONTRACTOR shall train ten\nusers on site;", False),
        ("Please describe your training of users.", "- Please describe your training of users", False),
    ],
)
def test_a_demand_said_again_in_whatever_dress_is_no_answer(demand: str, text: str, answered: bool) -> None:
    asked = row("R1", demand)
    assert (Answers(text, "en", (asked,)).answer_to(asked) is not None) is answered


def test_an_item_answers_in_its_own_words_and_not_with_what_announces_it() -> None:
    asked = row("R1", "keep all records for five years", "The contractor shall:")
    ours = Answers("We keep all records for five years.", "en", (asked,))
    theirs = Answers("The contractor shall keep all records for five years.", "en", (asked,))
    assert (ours.answer_to(asked), theirs.answer_to(asked)) == (Answer(0, sure=False), None)


def test_a_figure_of_a_demand_has_to_be_met() -> None:
    demand = row("R1", "The contractor shall keep all records for at least five years.")
    for years, answered in (("five", True), ("seven", True), ("two", False)):
        answers = Answers(f"All records are kept for {years} years.", "en", (demand,))
        assert (answers.answer_to(demand) is not None) is answered, years
    limit = row("R1", "Faults of the system must be mended within three days.")
    for days, answered in (("two days", True), ("one week", False)):
        answers = Answers(f"Faults of the system are mended within {days}.", "en", (limit,))
        assert (answers.answer_to(limit) is not None) is answered, days


def shares(name: str) -> tuple[float, float, float]:
    """Of a file of pairs: the precision of what is found and its recall, and the precision of what is sure."""
    pairs = [json.loads(line) for line in (PAIRS / f"{name}.jsonl").read_text().splitlines()]
    found = list[tuple[bool, Answer]]()
    for language in {pair["language"] for pair in pairs}:
        own = [pair for pair in pairs if pair["language"] == language]
        rows = [row(f"R{number}", pair["demand"], pair["announced_by"]) for number, pair in enumerate(own)]
        for pair, one in zip(own, rows, strict=True):
            for kind in ("answered", "not_answered"):
                if answer := Answers(pair[kind], language, rows).answer_to(one):
                    found.append((kind == "answered", answer))
    right = [is_right for is_right, _ in found]
    sure = [is_right for is_right, answer in found if answer.sure]
    return right.count(True) / len(right), right.count(True) / len(pairs), sure.count(True) / len(sure)


@pytest.mark.req("B4")
@pytest.mark.parametrize(
    ("name", "precision", "recall"), [("first", 1.0, 0.91), ("second", 0.95, 0.87), ("third", 0.5, 1.0)]
)
def test_of_hand_made_pairs_most_are_found_and_what_is_sure_is_right(
    name: str, precision: float, recall: float
) -> None:
    told = shares(name)
    print(name, told)
    assert told[0] >= precision
    assert told[1] >= recall
    assert told[2] == 1.0


@pytest.mark.req("B4")
@pytest.mark.parametrize(
    "text",
    [
        "We could answer calls within one hour.",
        "Nordwerk answers calls within one hour.",
        "We answer calls within one hour at EUR 90 each.",
        "We answered calls within one hour in 2019.",
        "Do we answer calls within one hour?",
        "We must answer calls within one hour.",
        "The authority answers calls within one hour, as we know.",
        "We answer letters within one hour.",
        "We answer calls from users within one hour.",
    ],
)
def test_a_doubt_another_party_a_price_another_word_or_a_better_question_makes_an_answer_unsure(text: str) -> None:
    asked = row("R1", "The contractor shall answer calls within one hour.")
    other = row("R2", "The contractor shall answer calls from users within one hour.")
    surely = Answers("We answer calls within one hour, day and night.", "en", (asked, other)).answer_to(asked)
    assert surely == Answer(0, sure=True)
    found = Answers(text, "en", (asked, other)).answer_to(asked)
    assert found is None or not found.sure


@pytest.mark.req("B4")
@pytest.mark.parametrize(
    ("language", "demand", "refusal"),
    [
        ("en", "The contractor shall answer calls on working days.", "We refuse to answer calls on working days."),
        ("en", "The contractor shall answer calls on working days.", "We are unable to answer calls on working days."),
        (
            "de",
            "Der Auftragnehmer muss Anrufe an Werktagen annehmen.",
            "Wir lehnen es ab, Anrufe an Werktagen anzunehmen.",
        ),
        (
            "fr",
            "Le titulaire doit traiter les appels chaque jour ouvré.",
            "Nous refusons de traiter les appels chaque jour ouvré.",
        ),
        (
            "es",
            "El contratista debe atender llamadas en días laborables.",
            "Nos negamos a atender llamadas en días laborables.",
        ),
        (
            "it",
            "L'appaltatore deve gestire chiamate nei giorni feriali.",
            "Noi rifiutiamo di gestire chiamate nei giorni feriali.",
        ),
        (
            "nl",
            "De opdrachtnemer moet oproepen op werkdagen beantwoorden.",
            "Wij weigeren oproepen op werkdagen te beantwoorden.",
        ),
        ("pt", "O contratado deve atender chamadas em dias úteis.", "Nós recusamos atender chamadas em dias úteis."),
        ("ja", "受託者は平日に電話対応を行わなければならない。", "当社は平日に電話対応を行うことをお断りします。"),
        ("zh", "承包商必须在工作日接听电话。", "我们拒绝在工作日接听电话。"),
    ],
)
def test_a_refusal_is_no_sure_answer(language: str, demand: str, refusal: str) -> None:
    asked = row("R1", demand)
    found = Answers(refusal, language, (asked,)).answer_to(asked)
    assert found is None or not found.sure


@pytest.mark.req("T3")
def test_what_may_take_long_are_the_draft_and_the_rows_that_it_has_to_answer() -> None:
    rows = tuple(row(f"R{n}", "The contractor shall train users.") for n in range(9))
    check = AnswersCheck(text="# A\n", language="en", rows=rows, wanted=frozenset({"R1", "R2"}))
    assert (check.characters, check.unknown) == (4 + 9 * 33, 4 + 2 * 33)
