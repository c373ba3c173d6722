"""The requirement ledger at the command line: listed, decided about, and as a spreadsheet."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from openpyxl import load_workbook
from stemma_cli.spreadsheets import splits_in
from stemma_client import Client
from stemma_client.ledgers import LedgerEntry
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.bids import BidRule, BidRules, RuleCheck
from stemma_contracts.v1.blocks import BlockIndex, IdentifiedBlock
from stemma_contracts.v1.deadlines import Deadline, DeadlineChange, Deadlines, DueTime
from stemma_contracts.v1.ledger import (
    AnswersFound,
    LedgerDifference,
    LedgerRow,
    LedgerRows,
    LedgerSummary,
    LedgerWarning,
    RequirementAnswer,
    RequirementDecision,
    RowCuts,
    RowParts,
    SecondOpinion,
)
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.validation import ValidationSummary
from stemma_contracts.v1.views import RowView
from stemma_testkit.document_events import section_drafted

pytestmark = pytest.mark.req("L1")


def row(name: str, line: int, quote: str, **fields: Any) -> LedgerRow:
    about = {"kind": "work", "obligation": "mandatory"} | fields
    return LedgerRow(requirement_id=name, source="rfp.md", line=line, quote=quote, **about)


ROWS = (
    row("R1", 7, "The contractor shall train ten users.", headings=("RFP", "Work")),
    row("R2", 9, "=1+1 should \x1b[31mgo.", kind="instruction", obligation="should"),
    row("R3", 11, "keep records", place="p. 3", announced_by="The contractor shall:"),
)


DEADLINES = Deadlines(
    given=3,
    found=(
        Deadline(
            deadline_id="D1",
            kind="submission",
            due=DueTime(written="19 March 2099 at 14:00", days=("2099-03-19",), time="14:00", zone="local time"),
            source="rfp.md",
            line=7,
            quote="Offers are due 19 March 2099 at 14:00 \x1b[31mlocal time.",
            changes=(DeadlineChange(before=DueTime(written="12 March"), source="rfp.md", version=2, file="2.pdf"),),
        ),
        Deadline(
            deadline_id="D2",
            due=DueTime(written="30 days after award"),
            source="rfp.md",
            line=9,
            place="p. 3",
            quote="The plan is due 30 days after award.",
        ),
        Deadline(
            deadline_id="D3",
            due=DueTime(written="03/04/2019", days=("2019-03-04", "2019-04-03"), doubts=("order",)),
            source="rfp.md",
            line=3,
            quote="Ask by 03/04/2019.",
        ),
    ),
)
OPINION = SecondOpinion(
    model="some/model", mandatory=("R4",), known=1, unfounded=2, unasked=900, failure="it was cut off"
)


BID = BidRules(
    found=(
        BidRule(
            rule_id="B1", kind="page_limit", part="plan\x1b[31m", number=3, source="rfp.md", line=4, quote="Max. 3.",
            contradicts=("B2",),
        ),
        BidRule(
            rule_id="B2", kind="page_limit", part="plan", number=5, source="rfp.md", line=5, place="p. 2",
            quote="Max. 5 pages.", contradicts=("B1",),
        ),
        BidRule(rule_id="B3", kind="validity", number=90, unit="days", source="rfp.md", line=6, quote="90 days."),
        BidRule(rule_id="B4", kind="exclusion", source="rfp.md", line=7, quote="Late bids are rejected."),
    )
)  # fmt: skip
BODY = LedgerRows(given=3, rows=ROWS, deadlines=DEADLINES, bid=BID)


@pytest.fixture
async def read(backstage: Any, document_id: str, requested: Any) -> Any:
    """A document whose ledger has three rows; decisions are made as they are asked for."""
    rows = await backstage.text(document_id, BODY.model_dump_json())
    changed = await backstage.text(document_id, LedgerDifference(new=ROWS, deadlines=("D1",)).model_dump_json())
    summary = LedgerSummary(mandatory=("R1", "R3"), others=("R2",), new=3)
    job_id = f"{document_id}.2.extract.ledger"
    done = events.RequirementsRead(job_id=job_id, rows=rows, difference=changed, summary=summary)
    await backstage.append(document_id, requested, events.RequirementsRequested(), done)

    async def decide(request: requests.Request) -> None:
        if isinstance(request, requests.DecideRequirements):
            await backstage.append(document_id, events.RequirementsDecided(decisions=request.decisions))
        if isinstance(request, requests.SplitRequirements):
            parts = tuple(RowParts(requirement_id=one.requirement_id, parts=()) for one in request.splits)
            await backstage.append(document_id, events.RequirementsSplit(splits=parts, rows=rows))
        if isinstance(request, requests.ReadRequirements):
            asked = events.RequirementsRequested(second_opinion=request.second_opinion)
            await backstage.append(document_id, asked, done)
        if isinstance(request, requests.ReadRequirements) and request.second_opinion:
            more = (*ROWS, row("R4", 13, "goes without saying", found_by="model"))
            added = await backstage.text(document_id, LedgerRows(given=4, rows=more).model_dump_json())
            await backstage.append(document_id, events.RequirementsAdded(job_id="j", opinion=OPINION, rows=added))

    backstage.on_request = decide
    return backstage


def asked(backstage: Any) -> tuple[RequirementDecision, ...]:
    request = backstage.received[-1][1]
    assert isinstance(request, requests.DecideRequirements)
    return request.decisions


async def test_lists_rows_with_their_words_harmless(cli: Any, read: Any, document_id: str) -> None:
    shown = await cli("ledger", document_id)
    assert shown.exit_code == 0
    assert "rfp.md:7" in shown.stdout
    assert "rfp.md, p. 3" in shown.stdout
    assert "\x1b" not in shown.stdout
    told = json.loads((await cli("ledger", document_id, "--kind", "instruction", "--json")).stdout)
    assert [(one["row"]["requirement_id"], one["standing"]["status"]) for one in told] == [("R2", "open")]


async def test_deadlines_are_listed_by_their_days_with_what_they_were_and_what_is_open(
    cli: Any, read: Any, document_id: str
) -> None:
    shown = await cli("ledger", document_id, "--deadlines")
    assert (shown.exit_code, "\x1b" in shown.stdout) == (0, False)
    first, second, third = (line.split("\t") for line in shown.stdout.splitlines())
    assert first[:4] == ["D3", "2019-03-04 or 2019-04-03", "", "past"]
    assert first[6] == "03/04/2019; day and month may be the other way round"
    assert second[:3] == ["D1", "2099-03-19", "14:00 local time"]
    assert second[4:8] == [
        "submission",
        "rfp.md:7",
        "19 March 2099 at 14:00",
        "was 12 March (rfp.md, version 2, 2.pdf)",
    ]
    assert third[:6] == ["D2", "", "", "counted", "other", "rfp.md, p. 3"]
    told = json.loads((await cli("ledger", document_id, "--deadlines", "--json")).stdout)
    assert [(one["deadline"]["deadline_id"], one["state"]) for one in told] == [
        ("D3", "past"), ("D1", "coming"), ("D2", "open")
    ]  # fmt: skip


@pytest.mark.req("B6")
async def test_tells_what_the_request_says_about_the_bid_and_what_contradicts_it(
    cli: Any, read: Any, document_id: str
) -> None:
    below = (await cli("ledger", document_id)).stderr
    assert "B1 page limit of plan: 3 (rfp.md:4); contradicts B2" in " ".join(below.split())
    assert "1 more, such as exclusions and criteria: --bid lists all 4" in " ".join(below.split())
    shown = await cli("ledger", document_id, "--bid")
    assert (shown.exit_code, "\x1b" in shown.stdout) == (0, False)
    _, second, third, _ = (line.split("\t") for line in shown.stdout.splitlines())
    assert second == ["B2", "page limit of plan: 5", "rfp.md, p. 2", "contradicts B1", "Max. 5 pages."]
    assert third[1] == "validity: 90 days"
    told = json.loads((await cli("ledger", document_id, "--bid", "--json")).stdout)
    assert [(one["kind"], one["number"]) for one in told][:2] == [("page_limit", 3), ("page_limit", 5)]


async def test_a_ledger_that_an_older_release_read_says_that_it_has_no_deadlines(
    cli: Any, read: Any, document_id: str
) -> None:
    rows = await read.text(document_id, LedgerRows(given=3, rows=ROWS).model_dump_json())
    await read.append(
        document_id, events.RequirementsSplit(splits=(RowParts(requirement_id="R1", parts=()),), rows=rows)
    )
    shown = await cli("ledger", document_id, "--deadlines")
    assert shown.exit_code == 1
    assert "no deadlines were looked for when the requirements were read" in shown.stderr
    assert "no rules for the bid were looked for" in (await cli("ledger", document_id, "--bid")).stderr


async def test_reads_the_sources_and_tells_what_is_new_what_moved_and_the_next_deadline(
    cli: Any, read: Any, document_id: str
) -> None:
    shown = await cli("ledger", document_id, "--read", "--no-brief")
    for words in (
        "3 requirements: 3 new, 0 changed, 0 withdrawn",
        "deadline submission: was 12 March, now 19 March 2099 at 14:00 (rfp.md, version 2, 2.pdf)",
        "next: submission 19 March 2099 at 14:00 (in ",
        "--deadlines lists 3",
    ):
        assert words in shown.stderr
    request = read.received[-1][1]
    assert request.without_brief


async def test_a_second_opinion_is_waited_for_and_told_and_its_rows_say_who_found_them(
    cli: Any, read: Any, document_id: str
) -> None:
    shown = await cli("ledger", document_id, "--read", "--second-opinion")
    told = " ".join(shown.stderr.split())
    assert "second opinion of some/model: 1 more: R4" in told
    assert "2 that do not stand in the sources so were left out" in told
    assert "the second opinion of some/model is not whole: it was cut off" in told
    assert "it was not asked about 900 characters of the sources" in told
    assert "found (model)" in shown.stdout
    assert read.received[-1][1].second_opinion


async def test_a_second_opinion_that_another_reading_or_the_end_of_the_document_gives_up_is_not_waited_for(
    cli: Any, read: Any, client: Client, document_id: str
) -> None:
    async def give_up(request: requests.Request) -> None:
        await read.append(document_id, events.RequirementsRequested(second_opinion=True))
        read.accepted = {"sequence": await client.position(document_id)}
        await read.append(document_id, events.RequirementsRequested())

    read.on_request = give_up
    shown = await cli("ledger", document_id, "--read", "--second-opinion")
    assert shown.exit_code == 1
    assert "no second opinion comes: meanwhile the requirements were read again without one" in shown.stderr

    async def cancel(request: requests.Request) -> None:
        await read.append(document_id, events.RequirementsRequested(second_opinion=True), events.DocumentCancelled())

    read.on_request, read.accepted = cancel, {"sequence": await client.position(document_id)}
    shown = await cli("ledger", document_id, "--read", "--second-opinion")
    assert (shown.exit_code, "the document was cancelled" in shown.stderr) == (1, True)


async def test_decides_about_several_rows_with_one_request(cli: Any, read: Any, document_id: str) -> None:
    about_first = ("--confirm", "R1", "--assign", "R1=research", "--owner", "R1=ada")
    shown = await cli("ledger", document_id, *about_first, "--drop", "R2", "--mark", "R3=verified", "--json")
    assert set(asked(read)) == {
        RequirementDecision(requirement_id="R1", confirmed=True, section_id="research", owner="ada"),
        RequirementDecision(requirement_id="R2", dropped=True),
        RequirementDecision(requirement_id="R3", status="verified"),
    }
    told = {one["row"]["requirement_id"]: one["standing"] for one in json.loads(shown.stdout)}
    assert (told["R1"]["section_id"], told["R2"]["dropped"], told["R3"]["status"]) == ("research", True, "verified")
    left = json.loads((await cli("ledger", document_id, "--open", "--json")).stdout)
    assert [one["row"]["requirement_id"] for one in left] == ["R1"]


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
async def test_a_spreadsheet_that_nobody_changed_decides_nothing_and_computes_nothing(
    cli: Any, read: Any, document_id: str, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"ledger.{ending}"
    assert (await cli("ledger", document_id, "--export", str(path))).exit_code == 0
    if ending == "csv":
        rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
        assert rows[1]["text"].startswith("'=1+1 should")
    shown = await cli("ledger", document_id, "--import", str(path), "--apply")
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "nothing was changed" in shown.stderr


async def test_what_was_changed_in_a_workbook_is_shown_and_then_applied(
    cli: Any, read: Any, document_id: str, tmp_path: Path
) -> None:
    path = tmp_path / "ledger.xlsx"
    await cli("ledger", document_id, "--export", str(path))
    workbook = load_workbook(path)
    sheet: Any = workbook.active
    columns = {cell.value: cell.column for cell in sheet[1]}
    assert sheet.cell(3, columns["text"]).data_type == "s"
    sheet.cell(2, columns["standing"], "confirmed")
    sheet.cell(2, columns["section"], "research")
    sheet.cell(4, columns["standing"], "merged")
    sheet.cell(4, columns["into"], "R1")
    workbook.save(path)
    shown = await cli("ledger", document_id, "--import", str(path))
    assert shown.stdout == "R1: confirmed True, section_id research\nR3: merged_into R1\n"
    assert not read.received
    await cli("ledger", document_id, "--import", str(path), "--apply")
    assert asked(read) == (
        RequirementDecision(requirement_id="R1", confirmed=True, section_id="research"),
        RequirementDecision(requirement_id="R3", merged_into="R1"),
    )


def edited(path: Path, words: str, others: str) -> None:
    """Other words in the text of a row."""
    text = path.read_text("utf-8-sig")
    assert words in text
    path.write_text(text.replace(words, others), "utf-8-sig")


async def test_a_row_is_cut_before_the_words_that_are_named_after_what_is_decided(
    cli: Any, read: Any, document_id: str
) -> None:
    cut = ("--split", "R1=train  ten", "--split", "R1=users")
    assert (await cli("ledger", document_id, *cut, "--assign", "R1=research")).exit_code == 0
    decided, split = (request for _, request in read.received)
    assert isinstance(decided, requests.DecideRequirements)
    assert isinstance(split, requests.SplitRequirements)
    assert split.splits == (RowCuts(requirement_id="R1", cuts=(21, 31)),)
    assert split.rows_digest == (await read.text(document_id, BODY.model_dump_json())).digest


async def test_words_that_are_not_in_the_row_just_once_are_refused_before_anything_is_sent(
    cli: Any, read: Any, document_id: str
) -> None:
    for cut, words in (
        ("R9=users", "the ledger has no row R9"),
        ("R1=drain", "'drain' begins nowhere"),
        ("R1=The contractor", "'The contractor' begins nowhere"),
        ("R1=t", "'t' begins 2 times"),
        ("R1", "'R1' is not ID=VALUE"),
    ):
        shown = await cli("ledger", document_id, "--split", cut)
        assert (shown.exit_code, words in " ".join(shown.stderr.split())) == (2, True), shown.stderr
    assert not read.received


async def test_a_text_that_is_cut_into_lines_in_a_spreadsheet_is_a_row_for_each_line(
    cli: Any, read: Any, document_id: str, tmp_path: Path
) -> None:
    path = tmp_path / "ledger.csv"
    await cli("ledger", document_id, "--export", str(path))
    edited(path, ROWS[0].quote, '"The contractor shall\ntrain ten users.\n"')
    shown = await cli("ledger", document_id, "--import", str(path), "--json")
    assert json.loads(shown.stdout)["splits"] == [{"requirement_id": "R1", "cuts": [21]}]
    assert not read.received
    await cli("ledger", document_id, "--import", str(path), "--apply")
    assert read.received[-1][1].splits[0] == RowCuts(requirement_id="R1", cuts=(21,))


def test_the_mark_that_keeps_a_text_from_being_a_formula_is_no_word_of_it() -> None:
    entry = LedgerEntry(row("R1", 7, "=1+1 and more"), RowView())
    cut = splits_in([{"id": "R1", "text": "'=1+1\nand more"}], [entry])
    assert cut == [RowCuts(requirement_id="R1", cuts=(5,))]


async def test_a_file_that_does_not_fit_is_refused_with_its_row(
    cli: Any, read: Any, document_id: str, tmp_path: Path
) -> None:
    path = tmp_path / "ledger.csv"
    for content, words in (
        ("id,standing\nR1,found\n", "has no column into, section, owner, status"),
        ("id,standing,into,section,owner,status\nR9,found,,,,open\n", "no row R9"),
        ("id,standing,into,section,owner,status\nR1,perhaps,,,,open\n", "row R1: standing is one of"),
        ("id,standing,into,section,owner,status\nR1,found,,,,done\n", "row R1: this cannot be: status"),
    ):
        path.write_text(content)
        shown = await cli("ledger", document_id, "--import", str(path))
        assert (shown.exit_code, words in shown.stderr) == (2, True), shown.stderr
    await cli("ledger", document_id, "--export", str(path))
    edited(path, ROWS[0].quote, '"The contractor shall\ntrain twelve users."')
    shown = await cli("ledger", document_id, "--import", str(path))
    assert (shown.exit_code, "row R1: a text can be cut into lines; its words stay as they are" in shown.stderr) == (
        2,
        True,
    )


def exports(stage: Any, document_id: str, told: Callable[[str], dict[str, Any]]) -> None:
    """Whoever takes requests exports each format, with what is told of it."""

    async def convert(request: requests.ExportDocument) -> None:
        about: dict[str, Any] = {"export_id": f"x{len(stage.received)}", "format": request.format}
        stage.accepted = {"export_id": about["export_id"]}
        done = {**about, "job_id": "j", "artifact": await stage.text(document_id, request.format)}
        exported = events.DocumentExported.model_validate(done | told(request.format))
        await stage.append(document_id, events.ExportRequested(**about), exported)

    stage.on_request = convert


async def test_an_export_with_an_open_mandatory_requirement_says_so_and_is_unfinished(
    cli: Any, read: Any, document_id: str, tmp_path: Path
) -> None:
    listed = (await read.text(document_id, "id,Requirement\n")).model_copy(update={"name": "open-requirements.csv"})
    exports(read, document_id, lambda _: {"open_requirements": ("R1", "R3"), "open_list": listed})
    shown = await cli("export", document_id, "-o", str(tmp_path / "a.docx"))
    beside = tmp_path / "a-open-requirements.csv"
    assert f"mandatory requirements without a sure answer: R1, R3; {beside} says which" in shown.stderr
    assert (shown.exit_code, beside.read_text()) == (5, "id,Requirement\n")


@pytest.mark.req("B6")
async def test_an_export_tells_each_rule_for_the_bid_and_a_broken_one_ends_it_with_5(
    cli: Any, read: Any, document_id: str, tmp_path: Path
) -> None:
    others = tuple(RuleCheck(rule_id=f"B{n}", kind="exclusion", state="to_see") for n in (2, 3))
    for state, code, words in (
        ("kept", 0, "B1 kept"),
        ("to_see", 0, "B1 for a person to see"),
        ("broken", 5, "warning: B1 is broken"),
    ):
        limit = RuleCheck.model_validate(
            {"rule_id": "B1", "kind": "page_limit", "state": state, "part": "plan", "wanted": "5", "measured": "7"}
        )
        exports(read, document_id, lambda _, limit=limit: {"rules": (limit, *others)})  # type: ignore[misc]
        shown = await cli("export", document_id, "-o", str(tmp_path / "a.docx"))
        told = " ".join(shown.stderr.split())
        assert (shown.exit_code, f"{words}: page limit of plan, wanted 5, here 7" in told) == (code, True), told
        assert "what excludes a bid: B2, B3; see `stemma ledger --bid`" in told
        assert ("B1 is broken" in (await cli("show", document_id)).stderr) is (state == "broken")


@pytest.mark.req("B6")
async def test_a_format_that_the_request_demands_is_missing_unless_it_is_exported_in_the_same_call(
    cli: Any, read: Any, document_id: str, tmp_path: Path
) -> None:
    def told(form: str) -> dict[str, Any]:
        rule = {"rule_id": "B1", "kind": "file_format", "state": "kept" if form == "pdf" else "broken"}
        return {"rules": (RuleCheck.model_validate({**rule, "wanted": "pdf", "measured": form}),)}

    exports(read, document_id, told)
    alone = await cli("export", document_id, "-o", str(tmp_path / "a.docx"))
    missing = "the request demands pdf, which is missing: export both with `--format docx --format pdf`"
    assert (alone.exit_code, missing in " ".join(alone.stderr.split())) == (5, True)
    both = await cli("export", document_id, "-f", "docx", "-f", "pdf", "-o", str(tmp_path))
    files = {Path(line).suffix: Path(line).read_text() for line in both.stdout.split()}
    assert (both.exit_code, files) == (0, {".docx": "docx", ".pdf": "pdf"})
    one_file = await cli("export", document_id, "-f", "docx", "-f", "pdf", "-o", str(tmp_path / "a.docx"))
    assert "several formats need a folder" in one_file.stderr


async def answered(stage: Any, document_id: str, *, sure: bool = True) -> None:
    """R1 is assigned to a section, and its second block answers it."""
    text = "# Training\n\nWe train ten users.\n\n=A third block.\n"
    block, third = text.index("We"), text.index("=A")
    blocks = (
        IdentifiedBlock(block_id="a" * 10, kind="heading", level=1, line=1, start=0, end=block),
        IdentifiedBlock(block_id="b" * 10, kind="paragraph", line=3, start=block, end=third),
    )
    index = await stage.text(document_id, BlockIndex(scope="s", given=2, blocks=blocks).model_dump_json())
    validation = ValidationSummary(
        passed=True,
        issue_count=0,
        engine="rumdl",
        engine_version="1",
        blocks=index,
        answers=AnswersFound(
            rows_digest=(await stage.text(document_id, BODY.model_dump_json())).digest,
            sought=("R1",),
            found=(RequirementAnswer(requirement_id="R1", block_id="b" * 10, sure=sure),),
        ),
    )
    await stage.append(
        document_id,
        events.RequirementsDecided(decisions=(RequirementDecision(requirement_id="R1", section_id="research"),)),
        section_drafted("research", await stage.text(document_id, text)),
        events.SectionReviewRequested(section_id="research", version=1, job_id="j", validation=validation),
    )


async def test_the_block_that_answers_a_row_is_shown_in_the_list_and_in_the_spreadsheet(
    cli: Any, read: Any, document_id: str, tmp_path: Path
) -> None:
    await answered(read, document_id)
    assert "We train ten users." in (await cli("ledger", document_id)).stdout
    told = json.loads((await cli("ledger", document_id, "--json")).stdout)[0]
    assert told["standing"].items() >= {"status": "addressed", "version": 1, "block_id": "b" * 10}.items()
    assert (told["answer"], told["answer_line"]) == ("We train ten users.", 3)
    left = json.loads((await cli("ledger", document_id, "--open", "--json")).stdout)
    assert [one["row"]["requirement_id"] for one in left] == ["R3"]
    path = tmp_path / "ledger.csv"
    await cli("ledger", document_id, "--export", str(path))
    rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    assert [(one["status"], one["answer"]) for one in rows[:2]] == [("addressed", "We train ten users."), ("open", "")]


@pytest.mark.req("B4")
async def test_an_answer_that_is_not_sure_is_to_check_which_nobody_can_decide(
    cli: Any, read: Any, document_id: str, tmp_path: Path
) -> None:
    await answered(read, document_id, sure=False)
    left = json.loads((await cli("ledger", document_id, "--open", "--json")).stdout)
    told = [(one["row"]["requirement_id"], one["standing"]["status"]) for one in left]
    assert told == [("R1", "check"), ("R3", "open")]
    path = tmp_path / "ledger.csv"
    await cli("ledger", document_id, "--export", str(path))
    assert next(csv.DictReader(path.read_text("utf-8-sig").splitlines()))["status"] == "check"
    assert "nothing was changed" in (await cli("ledger", document_id, "--import", str(path))).stderr
    assert (await cli("ledger", document_id, "--mark", "R1=check")).exit_code == 2


@pytest.mark.req("L2")
async def test_a_section_that_is_stale_by_a_row_names_it(cli: Any, read: Any, document_id: str) -> None:
    await answered(read, document_id)
    rows = await read.text(document_id, LedgerRows(given=3, rows=ROWS[:1]).model_dump_json())
    summary = LedgerSummary(mandatory=("R1",), changed=("R1",))
    changed = events.RequirementsRead(job_id="j9", rows=rows, difference=rows, summary=summary)
    await read.append(document_id, events.RequirementsRequested(), changed)
    assert "stale (R1 changed): keep or regenerate" in (await cli("stale", document_id)).stdout
    told = json.loads((await cli("stale", document_id, "--json")).stdout)
    assert [one["section"]["stale_requirements"] for one in told] == [[{"requirement_id": "R1", "change": "changed"}]]


async def test_a_document_without_a_ledger_says_so(cli: Any, backstage: Any, document_id: str, requested: Any) -> None:
    await backstage.append(document_id, requested)
    shown = await cli("ledger", document_id)
    assert shown.exit_code == 1
    assert "nothing was read into it yet" in shown.stderr


async def test_a_warning_of_a_reading_is_told_by_the_ledger_and_the_document_until_it_is_closed(
    cli: Any, read: Any, document_id: str
) -> None:
    rows = await read.text(document_id, BODY.model_dump_json())
    changed = await read.text(document_id, LedgerDifference().model_dump_json())
    summary = LedgerSummary(mandatory=("R1",), warnings=(LedgerWarning(code="no_deadlines", source="the rfp.md"),))
    told = events.RequirementsRead(job_id="j", rows=rows, difference=changed, summary=summary)
    await read.append(document_id, events.RequirementsRequested(), told)
    command = f"ledger {document_id[:8]} --close 'no_deadlines=the rfp.md'"
    words = f"warning: the rfp.md: no deadline was found in more than a page: read it, then `stemma {command}`"
    for shown in ("ledger", "show"):
        assert words in " ".join((await cli(shown, document_id)).stderr.split())
    verb, _, *close = split(command)
    await cli(verb, document_id, *close)
    assert read.received[-1][1].closed == summary.warnings
    await read.append(document_id, events.RequirementsDecided(decisions=(), closed=summary.warnings))
    assert "warning" not in (await cli("ledger", document_id)).stderr
    assert "requirements: 1, of which 1 must be answered" in (await cli("show", document_id)).stderr


async def test_the_matrix_is_listed_written_and_marked_until_somebody_looked(
    cli: Any, read: Any, document_id: str, tmp_path: Path
) -> None:
    await read.append(
        document_id,
        section_drafted("research"),
        events.SectionApproved(section_id="research", version=1, actor="ana"),
        events.RequirementsDecided(
            decisions=(
                RequirementDecision(requirement_id="R1", section_id="research"),
                RequirementDecision(requirement_id="R2", status="not_applicable"),
            )
        ),
        events.SectionEdited(
            section_id="research",
            version=2,
            draft=await read.text(document_id, "# Other"),
            origin=Origin.WRITTEN,
            actor="ana",
        ),
    )
    shown = await cli("matrix", document_id, "--holes")
    assert [line.split("\t")[:4] for line in shown.stdout.splitlines()] == [
        ["R1", "mandatory", "research", "open (its section changed)"],
        ["R3", "mandatory", "-", "open"],
    ]
    assert shown.stderr == "solution answers no demand\n"
    book, page = tmp_path / "matrix.xlsx", tmp_path / "matrix.html"
    for path in (book, page):
        assert (await cli("matrix", document_id, "--to", str(path))).exit_code == 0
    cells = [[cell.value for cell in row] for row in load_workbook(book)["matrix"].rows]
    assert cells[0][4:] == ["Research", "Solution (no demand)", "no section"]
    assert [row[4:] for row in cells[1:]] == [
        ["open (its section changed)", None, None],
        [None, None, "not_applicable"],
        [None, None, "open"],
    ]
    assert load_workbook(book)["matrix"].cell(3, 3).data_type == "s", "words of a stranger are no formula"
    assert page.read_text().count('class="hole"') == 2
    suspect = json.loads((await cli("matrix", document_id, "--suspect", "--json")).stdout)
    assert [entry["row"]["requirement_id"] for entry in suspect["entries"]] == ["R1"]
    looked = await cli("matrix", document_id, "--looked", "R1", "--suspect")
    assert (looked.exit_code, looked.stdout) == (0, "")
    assert asked(read) == (RequirementDecision(requirement_id="R1", looked=True),)
    assert (await cli("matrix", document_id, "--to", "matrix.pdf")).exit_code == 2
