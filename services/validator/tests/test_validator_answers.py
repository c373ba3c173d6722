"""The blocks of a draft that answer the requirements of its section."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.jobs import DraftHistory
from stemma_contracts.v1.ledger import AnswersFound, LedgerRow, LedgerRows
from stemma_contracts.v1.references import ArtifactRef, InputFile, UploadRole
from stemma_evidence.requirements import Answer, Answers
from stemma_validator.answers import AnswersCheck

from .conftest import Desk

pytestmark = pytest.mark.req("L1", "B4")

LABELLED = Path(__file__).parent / "answers"
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


async def find(
    desk: Desk, *wanted: str, text: str = DRAFT, ledger: ArtifactRef | None = None, **fields: Any
) -> tuple[AnswersFound | None, BlockIndex | None]:
    """What is found in a draft whose section has these rows, and the blocks of the draft."""
    about: dict[str, Any] = {
        "history": DraftHistory(),
        "ledger": ledger or await desk.put(ROWS),
        "requirements": wanted,
    }
    told = (await desk.handled(await desk.job(text, **about | fields))).validation
    return told.answers, await desk.stored(told.blocks, BlockIndex) if told.blocks else None


async def test_a_row_that_a_draft_answers_is_told_with_its_block_and_no_other(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, index = await find(desk, "R1", "R2", "R3")
    assert found is not None
    assert index is not None
    texts = {block.block_id: DRAFT[block.start : block.end].strip() for block in index.blocks}
    told = {one.requirement_id: texts[one.block_id] for one in found.found}
    assert told == {"R1": "We train ten users on site.", "R2": DRAFT[DRAFT.index("| task") :].strip()}
    assert found.sought == ("R1", "R2", "R3")
    other, _ = await find(desk, "R3")
    assert (other and other.sought, other and other.found) == (("R3",), ()), "only rows of the section are looked for"
    monkeypatch.setattr("stemma_validator.confined.SAFE_CHARACTERS", 10)
    assert (await find(desk, "R1", "R2", "R3"))[0] == found, "a large draft is looked through in a process of its own"


@pytest.mark.parametrize(("used_as", "answered"), [("request", False), ("form", False), ("evidence", True)])
async def test_words_of_the_buyer_answer_nothing(desk: Desk, used_as: UploadRole, answered: bool) -> None:
    words = "On site, ten users are trained in the use of the new pumps."
    given = await desk.input(words, "a.md", input_id="input-1", **InputFile.fields_of(used_as))
    found, _ = await find(
        desk, "R1", text=f"# Training\n\n{words}\n", inputs=(given,), brief=await desk.put("{}", "rows.json")
    )
    assert found is not None
    assert bool(found.found) is answered


def test_a_request_does_not_answer_itself() -> None:
    request = """# Work

We expect that users are trained by the contractor on site. The contractor shall train
ten users on site, and [keep records](#b) for five years. Users of the site are ten.
"""
    asked = row("R1", "The contractor shall train ten users on site, and keep records for five years.")
    assert Answers(request, "en", (asked,), (request,)).answer_to(asked) is None


async def test_nothing_is_told_where_the_ledger_is_lost_or_blocks_have_no_ids(desk: Desk) -> None:
    lost = ArtifactRef(digest="0" * 64, size=1, media_type="application/json", name="rows.json")
    assert (await find(desk, "R1", ledger=lost))[0] is None
    assert (await find(desk, "R1", history=None))[0] is None


def cases() -> Iterator[tuple[str, str, str, str, list[str]]]:
    """Language, whether it is an answer, the demand, the text, and other demands beside it."""
    for line in (LABELLED / "cases.tsv").read_text().splitlines():
        language, answered, demand, text, *others = line.split("\t")
        yield language, answered, demand, text.replace("\\n", "\n"), others


@pytest.mark.parametrize(("language", "answered", "demand", "text", "others"), list(cases()))
def test_what_is_denied_refused_left_open_priced_or_only_demanded_again_is_no_answer_or_no_sure_one(
    language: str, answered: str, demand: str, text: str, others: list[str]
) -> None:
    rows = [row(f"R{number}", one) for number, one in enumerate((demand, *others), 1)]
    found = Answers(text, language, rows).answer_to(rows[0])
    match answered:
        case "no":
            assert found is None
        case "unsure":
            assert found is None or not found.sure
        case _:
            assert found is not None
            assert answered == "answered" or found == Answer(0, sure=True)


def test_an_item_answers_in_its_own_words_and_not_with_what_announces_it() -> None:
    asked = row("R1", "keep all records for five years", "The contractor shall:")
    ours = Answers("We keep all records for five years.", "en", (asked,))
    theirs = Answers("The contractor shall keep all records for five years.", "en", (asked,))
    assert (ours.answer_to(asked), theirs.answer_to(asked)) == (Answer(0, sure=False), None)


def shares(name: str) -> tuple[float, float, float]:
    """Of a file of pairs: the precision of what is found and its recall, and the precision of what is sure."""
    pairs = [json.loads(line) for line in (LABELLED / f"{name}.jsonl").read_text().splitlines()]
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


@pytest.mark.req("T3")
def test_what_may_take_long_are_the_draft_and_the_rows_that_it_has_to_answer() -> None:
    rows = tuple(row(f"R{n}", "The contractor shall train users.") for n in range(9))
    check = AnswersCheck(text="# A\n", language="en", rows=rows, wanted=frozenset({"R1", "R2"}))
    assert (check.characters, check.unknown) == (4 + 9 * 33, 4 + 2 * 33)
