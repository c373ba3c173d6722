"""What was read of the inputs, what an amendment would change, and what is stale because of one."""

import json
from pathlib import Path
from typing import Any

import pytest
from stemma_cli.rendering.inputs import change_lines
from stemma_cli.wording import changed_words
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.inputs import (
    ChangedInput,
    ChangedPart,
    InputChanges,
    InputDifference,
    InputReading,
    InputVersion,
    ReadingFigures,
    ReadingWarning,
    Unreadable,
    UsedInput,
)
from stemma_contracts.v1.ledger import (
    ChangedRow,
    LedgerDifference,
    LedgerRow,
    LedgerRows,
    LedgerSummary,
    RequirementDecision,
)
from stemma_contracts.v1.references import InputFile, UploadRole
from stemma_contracts.v1.staleness import StaleMark

CHANGES = InputChanges(
    changed=(ChangedPart(before="It starts in May.", after="It starts in June.", heading="Period", line=7),)
)


@pytest.fixture
async def amended(backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any) -> str:
    """A document with an RFP that was read, a file that could not be, and a version of the RFP that is staged."""
    text = await backstage.text(document_id, "# Period\n\nIt starts in May.\n")
    changes = await backstage.text(document_id, CHANGES.model_dump_json())
    roles: dict[str, UploadRole] = {"rfp.pdf": "request", "plan.dwg": "evidence"}
    files = tuple(InputFile(name=name, artifact=text, **InputFile.fields_of(role)) for name, role in roles.items())
    validation = reviewable("research").validation
    used = validation.model_copy(update={"used": (UsedInput(input_id="input-1", parts=("aaa",)),)})
    reading = InputReading(
        text=text,
        figures=ReadingFigures(pages=12, recognised=1, characters=900, tables=2),
        warnings=(ReadingWarning(code="cut", detail="Only the beginning was read.", place="p. 12"),),
    )
    difference = InputDifference(changes=changes, blocks=1, parts=("aaa",))
    about: dict[str, Any] = {"input_id": "input-1", "job_id": "j"}
    await backstage.append(
        document_id,
        requested.model_copy(update={"inputs": files, "to_read": ("input-1", "input-2"), "starts": ()}),
        e.DocumentInputRead(**about, version=1, reading=reading),
        e.DocumentInputUnreadable(
            input_id="input-2", job_id="k", version=1, unreadable=Unreadable(reason="unknown", detail="No such kind.")
        ),
        drafted("research", text).model_copy(update={"inputs": (InputVersion(input_id="input-1", version=1),)}),
        reviewable("research").model_copy(update={"validation": used}),
        e.SectionApproved(section_id="research", version=1),
        e.DocumentInputReplaced(input_id="input-1", version=2, artifact=text, staged=True),
        e.DocumentInputRead(
            **about,
            version=2,
            reading=reading.model_copy(update={"text": text.model_copy(update={"digest": "d" * 64})}),
            difference=difference,
        ),
    )
    return document_id


@pytest.mark.req("I1", "I4")
async def test_shows_what_was_read_how_well_and_what_uses_it(cli: Any, amended: str) -> None:
    shown = await cli("show", amended, "--inputs")
    assert "12 pages, 1 page recognised, 900 characters, 2 tables" in shown.stdout
    assert "rfp.pdf, p. 12: Only the beginning was read." in shown.stderr
    assert "plan.dwg was not read: No such kind." in shown.stderr
    told = json.loads((await cli("show", amended, "--inputs", "--json")).stdout)
    assert [(one["name"], one["state"]) for one in told] == [
        ("brief.md", "read"),
        ("rfp.pdf", "staged"),
        ("plan.dwg", "unreadable"),
    ]
    assert (told[1]["used_by"], told[1]["concerns"]) == (["research"], ["research"])
    assert told[1]["uses"] == [{"section_id": "research", "version": 1, "input_version": 1}]
    assert "\tresearch 1\t" in shown.stdout


@pytest.mark.req("I1", "I4")
async def test_a_section_that_knows_an_old_version_of_an_input_is_shown_with_that(
    cli: Any, backstage: Any, amended: str
) -> None:
    await backstage.append(amended, e.DocumentInputApplied(input_id="input-1", version=2))
    shown = await cli("show", amended, "--inputs")
    assert "\tresearch 1 (of version 1)\t" in shown.stdout


@pytest.mark.req("L2")
@pytest.mark.parametrize("read_by", ["itself", "request"])
async def test_an_amendment_of_a_request_names_the_demands_in_what_it_changes_and_what_became_of_them(
    cli: Any, backstage: Any, amended: str, tmp_path: Path, read_by: str
) -> None:
    def row(name: str, quote: str) -> LedgerRow:
        about: dict[str, Any] = {"kind": "work", "obligation": "mandatory"}
        return LedgerRow(requirement_id=name, source="rfp.pdf", line=7, quote=quote, **about)

    async def read(*rows: LedgerRow, difference: LedgerDifference, **summary: Any) -> e.RequirementsRead:
        body = LedgerRows(given=9, rows=rows).model_dump_json()
        return e.RequirementsRead(
            job_id="j",
            rows=await backstage.text(amended, body),
            difference=await backstage.text(amended, difference.model_dump_json()),
            summary=LedgerSummary(mandatory=tuple(one.requirement_id for one in rows), **summary),
        )

    async def apply(request: r.Request) -> None:
        if isinstance(request, r.ApplyInput):
            await backstage.append(amended, e.DocumentInputApplied(input_id="input-1", version=2))
            backstage.accepted = {"sequence": (await backstage.js.stream_info(subjects.EVENTS)).state.last_seq}
        if isinstance(request, r.ApplyInput if read_by == "itself" else r.ReadRequirements):
            now, new = row("R1", "It starts in June."), row("R3", "Write to us.")
            changes = LedgerDifference(
                new=(new,), changed=(ChangedRow(requirement_id="R1", before=first, after=now),), withdrawn=(other,)
            )
            done = await read(now, new, difference=changes, changed=("R1",), withdrawn=("R2",), new=1)
            await backstage.append(amended, e.RequirementsRequested(without_brief=True), done)

    first, other = row("R1", "It starts in May."), row("R2", "Call us.")
    decisions = (RequirementDecision(requirement_id="R1", section_id="research"),)
    before = await read(first, other, difference=LedgerDifference(new=(first, other)))
    requested = e.RequirementsRequested(without_brief=True)
    await backstage.append(amended, requested, before, e.RequirementsDecided(decisions=decisions))
    backstage.on_request = apply
    (tmp_path / "rfp-2.pdf").write_bytes(b"%PDF-")
    shown = await cli("amend", amended, str(tmp_path / "rfp-2.pdf"), "--input", "rfp.pdf", "--apply")
    assert shown.exit_code == 0, shown.stderr
    assert "R1 (research) is in it: It starts in May.\n" in shown.stdout
    assert "R2" not in shown.stdout
    told = " ".join(shown.stderr.split())
    assert "2 requirements: 1 new, 1 changed, 1 withdrawn new R3: Write to us." in told
    assert "changed R1 (research): It starts in May. -> It starts in June. withdrawn R2: Call us." in told
    assert "sections that answer what changed: research" in told
    asked = [request.without_brief for _, request in backstage.received if isinstance(request, r.ReadRequirements)]
    assert asked == ([] if read_by == "itself" else [True])


@pytest.mark.req("I4")
async def test_an_amendment_is_shown_before_it_counts_and_applied_if_asked_for(
    cli: Any, backstage: Any, amended: str, tmp_path: Path
) -> None:
    file = tmp_path / "rfp-2.pdf"
    file.write_bytes(b"%PDF-")
    shown = await cli("amend", amended, str(file), "--input", "rfp.pdf")
    assert shown.exit_code == 0, shown.stderr
    assert "rfp.pdf: 1 block changes\nPeriod, line 7:\n- It starts in May.\n+ It starts in June.\n" in shown.stdout
    assert "stale would be: research" in shown.stdout
    assert [type(request) for _, request in backstage.received] == [r.ReplaceInput]
    done = await cli("amend", amended, str(file), "--input", "rfp.pdf", "--apply")
    assert done.exit_code == 0, done.stderr
    applied = backstage.received[-1][1]
    assert isinstance(applied, r.ApplyInput)
    assert (applied.input_id, applied.version) == ("input-1", 2)


@pytest.mark.req("B1", "I4")
async def test_inputs_are_added_replaced_given_a_role_and_withdrawn_by_name(
    cli: Any, backstage: Any, amended: str, tmp_path: Path
) -> None:
    file = tmp_path / "answers.eml"
    file.write_bytes(b"From: a\n")
    for arguments in (
        ("add", amended, str(file), "--role", "request"),
        ("replace", amended, "plan.dwg", str(file)),
        ("role", amended, "plan.dwg", "internal"),
        ("confidential", amended, "plan.dwg", "-m", "We paid 9."),
        ("withdraw", amended, "plan.dwg"),
        ("add", amended, str(file)),
    ):
        done = await cli("input", *arguments)
        assert done.exit_code == 0, done.stderr
    added, replaced, role, marked, withdrawn, unsaid = [request for _, request in backstage.received]
    told = [(each.upload.name, each.upload.role, each.upload.role_confirmed) for each in (added, unsaid)]
    assert told == [("answers.eml", "request", True), ("answers.eml", "evidence", False)]
    assert (role.input_id, role.version, role.role) == ("input-2", 1, "internal")
    assert (marked.input_id, marked.version, marked.passage) == ("input-2", 1, "We paid 9.")
    assert (replaced.input_id, replaced.version) == ("input-2", 1)
    assert (withdrawn.input_id, withdrawn.version) == ("input-2", 1)
    refused = await cli("input", "withdraw", amended, "no.pdf")
    assert (refused.exit_code, "input-1 (rfp.pdf)" in refused.stderr) == (2, True)


@pytest.mark.req("I4")
async def test_what_is_stale_because_of_an_input_says_which_and_what_changed_in_it(
    cli: Any, backstage: Any, amended: str
) -> None:
    view_of_changes = await backstage.text(amended, CHANGES.model_dump_json())
    mark = StaleMark(
        section_id="research",
        reasons=(),
        inputs=(
            ChangedInput(
                input_id="input-1",
                name="rfp.pdf",
                accepted_version=1,
                current_version=2,
                changes=view_of_changes,
            ),
        ),
    )
    await backstage.append(
        amended,
        e.DocumentInputApplied(input_id="input-1", version=2, makes_stale=(mark,)),
    )
    shown = await cli("stale", amended)
    assert "rfp.pdf 1 -> 2" in shown.stdout
    assert changed_words([mark.inputs[0].model_copy(update={"role": "internal"})]) == "rfp.pdf is internal now"
    assert "+ It starts in June." in shown.stdout
    told = json.loads((await cli("stale", amended, "--json")).stdout)
    assert told[0]["section"]["stale_inputs"][0]["name"] == "rfp.pdf"
    assert "rfp.pdf 1 -> 2" in (await cli("show", amended)).stdout


@pytest.mark.req("I4", "B7")
@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("The bidder delivers the following parts of the system. ", "within twelve months", "within eighteen months"),
        (
            "受注者は機器を納入し、設置し、試験を行うものとする。",
            "期限は十二月とする。",
            "期限は十八月とする。",
        ),
    ],
)
def test_a_change_far_inside_a_long_text_is_shown_with_the_words_around_it(words: str, old: str, new: str) -> None:
    before, after = (f"{words * 9}{changed} {words * 9}" for changed in (old, new))
    _, was, now = change_lines(InputChanges(changed=(ChangedPart(before=before, after=after, line=3),)))
    assert old in was
    assert new in now
    assert all("..." in line[2:5] and line.endswith("...") and len(line) < 200 for line in (was, now))
    (_, added) = change_lines(InputChanges(changed=(ChangedPart(after=after, line=3),)))
    assert added.startswith(f"+ {words[:20]}")
