import json
from typing import Any

import pytest
from stemma_contracts.v1 import events
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.requests import TakeBackChanges
from stemma_contracts.v1.section import SectionPlan, SectionStatus
from stemma_contracts.v1.staleness import StaleMark, StaleReason, TextDifference, UpstreamVersion, UsedUpstream
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_markdown import changed_marks, marked

CHANGED = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2)
STALE_ITSELF = StaleReason(upstream_section_id="solution", accepted_version=1, current_version=1, upstream_stale=True)
EVIL = '"]:::x; click s1 "javascript:1" <b>'


def plan(section_id: str, *depends_on: str, title: str = "") -> SectionPlan:
    return SectionPlan(
        section_id=section_id, title=title or section_id.title(), kind="k", graph="section", depends_on=depends_on
    )


@pytest.fixture
async def edited(backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any) -> str:
    """Research was changed by a person: solution is stale, and so is plan, which rests on solution."""
    plans = (plan("research"), plan("solution", "research"), plan("plan", "solution"), plan("costs", title=EVIL))
    one = await backstage.text(document_id, "# Research\n\nIt takes 12 weeks.\n\nIt is known.\n")
    two = await backstage.text(document_id, "# Research\n\nIt takes 10 weeks.\n\nIt is known.\n")
    said = await backstage.text(document_id, "Replace 12 weeks\x1b[2J with 10 weeks.")
    marks = (
        StaleMark(section_id="solution", reasons=(CHANGED,)),
        StaleMark(section_id="plan", reasons=(STALE_ITSELF,)),
    )
    await backstage.append(
        document_id,
        requested.model_copy(update={"sections": plans, "starts": ("research", "costs")}),
        drafted("research", one),
        events.SectionApproved(section_id="research", version=1, actor="ana", actor_verified=True),
        drafted("solution").model_copy(update={"upstream": (UpstreamVersion(section_id="research", version=1),)}),
        events.SectionApproved(section_id="solution", version=1, by_policy=True),
        drafted("plan").model_copy(update={"upstream": (UpstreamVersion(section_id="solution", version=1),)}),
        events.SectionApproved(section_id="plan", version=1, actor="ana"),
        drafted("costs"),
        reviewable("costs"),
        events.SectionEditRequested(section_id="research", version=1, instruction=said, actor="ben"),
        events.SectionEdited(
            section_id="research",
            version=2,
            draft=two,
            origin=Origin.EDITED,
            job_id="j",
            summary=await backstage.text(document_id, "Replaced 12 with 10."),
            makes_stale=marks,
        ),
        events.DecisionRefused(
            section_id="plan",
            request="stemma.keep.section.v1",
            problem=Problem.of("section_not_stale", "section_id"),
            actor="ana",
        ),
    )
    return document_id


@pytest.mark.req("P9")
async def test_stale_tells_what_why_and_the_words_that_differ_as_a_tree(cli: Any, edited: str) -> None:
    lines = (await cli("stale", edited)).stdout.splitlines()

    assert lines[0] == f"{edited}: 2 of 4 sections stale"
    assert lines[1].endswith("research 1 -> 2, edited by ben (claimed): words removed: 1, added: 1, in 1 place")
    assert lines[2].endswith("line 3: It takes [-12-] {+10+} weeks.")
    assert "solution version 1 since 2026-03-01" in lines[3]
    assert lines[3].endswith("stale (research 1 -> 2): keep or regenerate")
    assert lines[4].index("plan") > lines[3].index("solution")
    assert lines[4].endswith("stale (solution is stale): decide about solution first, or keep or regenerate")
    told = json.loads((await cli("stale", edited, "--json")).stdout)
    assert [(s["section"]["section_id"], s["section"]["stale"]["cause"]) for s in told] == [
        ("solution", "research"),
        ("plan", "research"),
    ]
    assert told[0]["lines"]["research"] == ["It takes [-12-] {+10+} weeks."]


@pytest.mark.req("L3")
async def test_stale_shows_of_a_changed_section_what_the_stale_one_uses(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any
) -> None:
    before = "# Research\n\nIt takes 12 weeks.\n\nIt costs 5 euros.\n"
    after = before.replace("12", "10").replace("5", "6")
    one, two = [await backstage.text(document_id, text) for text in (before, after)]
    (_, weeks, costs) = marked(before)
    changed = changed_marks(marked(before), marked(after))
    used = (UsedUpstream(section_id="research", version=1, marks=(costs.mark, costs.facts["5"])),)
    found = reviewable("solution").validation.model_copy(update={"used_upstream": used})
    await backstage.append(
        document_id,
        requested.model_copy(update={"sections": (plan("research"), plan("solution", "research"))}),
        drafted("research", one),
        events.SectionApproved(section_id="research", version=1),
        drafted("solution").model_copy(update={"upstream": (UpstreamVersion(section_id="research", version=1),)}),
        events.SectionApproved(section_id="solution", version=1, by_policy=True, job_id="j", validation=found),
        events.SectionEdited(
            section_id="research",
            version=2,
            draft=two,
            origin=Origin.WRITTEN,
            difference=TextDifference(base=one.digest, touched=changed.touched),
        ),
    )

    lines = (await cli("stale", document_id)).stdout.splitlines()

    assert weeks.facts["12"] in changed.touched
    assert lines[1].endswith("words removed: 2, added: 2, in 2 places")
    assert "solution version 1" in lines[2]
    assert lines[3].endswith("line 5: It costs [-5-] {+6+} euros.")
    assert len(lines) == 4


async def test_diff_marks_the_words_that_differ_between_the_last_versions_or_those_that_are_named(
    cli: Any, on_a_terminal: Any, edited: str
) -> None:
    assert (await cli("diff", edited, "research")).stdout == (
        "research: version 1 -> 2: words removed: 1, added: 1, in 1 place\n\nline 3\nIt takes [-12-]{+10+} weeks.\n"
    )
    back = json.loads((await cli("diff", edited, "research", "2", "1", "--json")).stdout)
    assert (back["old_version"], back["new_version"], back["changes"][0]["old_line"]) == (2, 1, 3)
    assert {"kind": "added", "text": "12"} in back["changes"][0]["pieces"]
    assert (await cli("diff", edited, "research", "2")).stdout == "research: version 2 -> 2: no words differ\n"
    seen, _ = await on_a_terminal("diff", edited, "research")
    assert "\x1b[9;31m[-12-]" in seen
    assert "\x1b[1;32m{+10+}" in seen
    unknown, single = await cli("diff", edited, "research", "7"), await cli("diff", edited, "solution")
    assert (unknown.exit_code, "it has 1, 2" in unknown.stderr) == (2, True)
    assert (single.exit_code, "there is nothing to compare" in single.stderr) == (1, True)


async def test_take_back_lists_single_changes_by_numbers_and_takes_back_those_that_are_named(
    cli: Any, backstage: Any, edited: str
) -> None:
    listed = await cli("take-back", edited, "research", "--since", "1")
    assert [line.split() for line in listed.stdout.splitlines()][-1] == ["1", "3", "12", "10"]
    done = await cli("take-back", edited, "research", "1", "--since", "1")
    assert done.exit_code == 0, done.stderr
    [(_, request)] = backstage.received
    assert isinstance(request, TakeBackChanges)
    assert (request.version, request.since, request.changes, request.shown) == (2, 1, (1,), 1)


async def test_history_tells_who_decided_what_about_which_version_in_which_words(cli: Any, edited: str) -> None:
    rows = [line.split("\t")[1:] for line in (await cli("history", edited)).stdout.splitlines()]

    assert [row[:4] for row in rows] == [
        ["ana", "research", "1", "approved"],
        ["policy", "solution", "1", "approved"],
        ["ana (claimed)", "plan", "1", "approved"],
        ["ben (claimed)", "research", "1", "edit requested"],
        ["editor agent", "research", "2", "edited (by instruction)"],
        ["ana (claimed)", "plan", "", "keep section: refused (the section is not stale)"],
    ]
    assert [row[4] for row in rows[3:5]] == ["Replace 12 weeks with 10 weeks.", "Replaced 12 with 10."]
    told = [json.loads(line) for line in (await cli("history", edited, "--all", "--json")).stdout.splitlines()]
    assert (told[0]["type"], len(told)) == ("stemma.document.requested.v1", 12)
    assert told[10]["data"]["makes_stale"][0]["section_id"] == "solution"
    assert told[10]["said"] == "Replaced 12 with 10."


@pytest.mark.req("E3")
async def test_replay_shows_the_document_and_its_texts_as_they_were_at_a_sequence_or_a_time(
    cli: Any, edited: str
) -> None:
    events = [json.loads(line) for line in (await cli("history", edited, "--all", "--json")).stdout.splitlines()]
    before = next(event for event in events if event["name"] == "section-edit-requested")
    at = ("--at", str(before["sequence"]))
    then = await cli("replay", edited, *at)
    assert then.stderr.startswith(f"as of {before['sequence']}, ")
    rows = {line.split("\t")[0]: line.split("\t") for line in then.stdout.splitlines()}
    assert (rows["research"][4], rows["solution"][2], rows["solution"][8]) == ("1", "approved", "")
    assert "12 weeks" in (await cli("replay", edited, "research", *at)).stdout
    told = json.loads((await cli("replay", edited, *at, "--json")).stdout)
    assert (told["event"] | {"said": before["said"]}, told["sections"][0]["version"]) == (before, 1)
    jobs = [json.loads(line) for line in (await cli("replay", edited, "--jobs")).stdout.splitlines()]
    assert {one["type"] for one in jobs} >= {"stemma.generate.section.v1", "stemma.validate.draft.v1"}
    last = [await cli("replay", edited, "research", "--at", str(events[-1][by])) for by in ("sequence", "time")]
    assert [one.stdout for one in last] == [(await cli("show", edited, "research")).stdout] * 2


async def test_replay_refuses_what_is_no_moment_and_one_before_the_first(cli: Any, edited: str) -> None:
    no_moment, too_early = await cli("replay", edited, "--at", "then"), await cli("replay", edited, "--at", "0")
    assert (no_moment.exit_code, too_early.exit_code) == (2, 2)
    assert "--at is a sequence of the log" in no_moment.stderr
    assert "it begins at " in too_early.stderr


async def test_where_nothing_is_stale_it_is_said_and_history_outlives_the_texts(
    cli: Any, backstage: Any, document_id: str, requested: Any
) -> None:
    asked = events.SectionEditRequested(section_id="research", version=1, instruction=requested.brief, actor="x")
    await backstage.append(document_id, requested, asked)
    assert (await cli("history", document_id)).stdout.endswith("\t(not stored any more)\n")
    done = await cli("stale", document_id)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "nothing is stale\n")


async def test_show_tells_versions_origins_and_reasons_and_draws_the_map(cli: Any, edited: str) -> None:
    rows = {line.split("\t")[0]: line.split("\t") for line in (await cli("show", edited)).stdout.splitlines()}
    assert rows["research"][2:6] == ["edited (being checked)", "", "2", "edited by ben (claimed)"]
    assert rows["solution"][8] == "research 1 -> 2"
    told = json.loads((await cli("show", edited, "--json")).stdout)
    assert [v["number"] for v in told["sections"][0]["versions"]] == [1, 2]

    lines = (await cli("show", edited, "--graph")).stdout.splitlines()

    assert lines[1].endswith("research  edited (being checked), version 2")
    assert lines[2].endswith("solution  approved, stale, version 1 because research 1 -> 2")
    assert lines[3].endswith("plan  approved, stale, version 1 because solution is stale")
    assert lines[4].endswith("costs  awaiting review, version 1")


async def summarised(backstage: Any, document_id: str, status: DocumentStatus, created_at: Any) -> None:
    section = SectionSummary(section_id="x", title="X", status=SectionStatus.APPROVED, stale=True)
    summary = DocumentSummary(
        document_id=document_id, kind="k", status=status, created_at=created_at, last_sequence=1, sections=(section,)
    )
    await backstage.summarise(summary)


@pytest.mark.req("P7", "P9")
async def test_inbox_begins_with_what_holds_up_the_most_and_forgets_cancelled_documents(
    cli: Any, backstage: Any, edited: str, requested: Any
) -> None:
    await summarised(backstage, edited, DocumentStatus.RUNNING, requested.created_at)
    lines = [line.split("\t") for line in (await cli("inbox")).stdout.splitlines() if edited in line]
    assert [(line[1], line[7], line[8]) for line in lines] == [
        ("solution", "1", "stale (research 1 -> 2): keep or regenerate"),
        ("plan", "", "stale (solution is stale): decide about solution first, or keep or regenerate"),
        ("costs", "", "review"),
    ]
    told = [entry for entry in json.loads((await cli("inbox", "--json")).stdout) if entry["document_id"] == edited]
    await summarised(backstage, edited, DocumentStatus.CANCELLED, requested.created_at)
    later = json.loads((await cli("inbox", "--json")).stdout)

    assert [(entry["section"]["section_id"], entry["section"]["waits_for"], entry["unblocks"]) for entry in told] == [
        ("solution", ["stale"], ["plan"]),
        ("plan", ["stale"], []),
        ("costs", ["review"], []),
    ]
    assert told[0]["section"]["stale_reasons"][0]["upstream_section_id"] == "research"
    assert {entry["about"] for entry in told} == {""}, "about a section there is no brief"
    assert not [entry for entry in later if entry["document_id"] == edited]


async def test_watch_says_what_is_stale_and_why(cli: Any, edited: str) -> None:
    done = await cli("watch", edited)

    assert done.exit_code == 0
    assert "makes stale solution [research 1 -> 2], plan [solution is stale]" in done.stdout
    assert "stale: solution (research 1 -> 2)\nstale: plan (solution is stale)\n" in done.stderr
    assert f"see `stemma stale {edited[:8]}`" in done.stderr


async def test_diff_tells_where_a_paragraph_stood_and_what_is_gone(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    old = "One is here now.\n\nTwo is there now.\n\nThree is far away.\n\n## Appendix\n"
    new = "Three is far away.\n\nOne is here now.\n\nTwo is there now.\n"
    drafts = [await backstage.text(document_id, text) for text in (old, new)]
    await backstage.append(
        document_id, requested, *(drafted("research", draft, version=n) for n, draft in enumerate(drafts, 1))
    )

    told = (await cli("diff", document_id, "research")).stdout

    assert told == (
        "research: version 1 -> 2: words removed: 2, added: 0, in 2 places, moved: 1\n"
        "\nline 1, before in line 5\nThree is far away.\n"
        "\nline 7 of the old text\n[-## Appendix-]\n"
    )
    assert json.loads((await cli("diff", document_id, "research", "--json")).stdout)["changes"][0]["moved"]
