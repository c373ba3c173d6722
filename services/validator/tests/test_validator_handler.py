import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from stemma_artifacts.store import digest_of
from stemma_confinement import Limits, Stalled
from stemma_contracts.v1.forms import AnsweredForm, FormField, FormFields
from stemma_contracts.v1.jobs import UpstreamDraft
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import UNACCEPTED_ANSWER
from stemma_validator.engines import RumdlEngine
from structlog.testing import capture_logs

from .conftest import DOCUMENT, RULES, TENANT, Desk


@pytest.mark.req("V1", "V3")
async def test_a_clean_draft_passes_and_has_a_report_only_where_it_is_asked_for(desk: Desk) -> None:
    text = "\ufeff# Budget\n\n![The plan](media/plan.png)\n\n## Costs\n\nText.\n"
    job = await desk.job(text, headings=("Costs",), assets=("media/plan.png",))
    outcome = await desk.handled(job)
    about = (outcome.job_id, outcome.tenant, outcome.document_id, outcome.section_id)
    assert about == (job.job_id, TENANT, DOCUMENT, "budget")
    assert outcome.validation.model_dump(exclude_defaults=True) == {
        "passed": True, "issue_count": 0, "engine": "rumdl", "engine_version": "0.3.0",
    }  # fmt: skip
    report = await desk.report(await desk.handled(job.model_copy(update={"always_report": True})))
    assert (report.validation_passed, report.issues) == (True, ())


@pytest.mark.req("V1", "T2")
async def test_an_excerpt_is_asked_nothing_that_only_the_whole_can_tell(desk: Desk) -> None:
    text = "# D\n\n## A\n\n[B](#b), [c][c] and d[^d].\n\nTODO: ![x](x.png) \n\n[e]: https://example.org\n"
    text += "\nAsk Ruth Adeyemi, see plan.md for more.\n"
    job = await desk.job(text, headings=("B",), brief=await desk.put("TODO"))
    part = job.model_copy(update={"excerpt": True})
    rules = [{issue.rule for issue in await desk.issues(one)} for one in (job, part)]
    assert rules[0] - rules[1] == {"MD051", "MD052", "MD053", "STEMMA004", "STEMMA008", "grounding/citation"}
    assert rules[1] == {"MD009", "STEMMA005", "STEMMA011", "grounding/name"}


@pytest.mark.req("B8")
async def test_sums_are_held_against_rows_ceiling_and_other_sections(desk: Desk) -> None:
    rows = "| Item | Price |\n| --- | --- |\n| Boats | EUR 60,000 |\n| Nets | EUR 46,050 |\n| Total | EUR 106,000 |\n"
    brief = "# Brief\n\nBoats cost EUR 60,000, nets EUR 46,050.\n\nThe bid must not exceed EUR 104,000.\n"
    draft = await desk.put("In total, EUR 99,000 is due.\n")
    said = UpstreamDraft(section_id="plan", title="Plan", version=1, draft=draft)
    issues = await desk.issues(await desk.job(f"# Budget\n\n{rows}", brief=await desk.put(brief), others=(said,)))
    assert [(issue.line_number, issue.rule, issue.params) for issue in issues if "sums/" in issue.rule] == [
        (7, "sums/differs", {"stated": "EUR 106,000", "made": "106,050 EUR"}),
        (7, "sums/elsewhere", {"here": "EUR 106,000", "there": "EUR 99,000", "section_id": "plan"}),
        (7, "sums/over", {"total": "EUR 106,000", "most": "EUR 104,000", "source": "a.md", "line": 5}),
    ]


@pytest.mark.req("V1", "V4")
async def test_issues_of_both_kinds_come_in_line_order_with_counts_and_a_log_line_without_text(desk: Desk) -> None:
    with capture_logs() as logged:
        outcome = await desk.handled(await desk.job("# B\n\nTODO <b>x</b>\n\n![x](gone.png)\n", headings=("Costs",)))
    report = await desk.report(outcome)
    assert [(issue.line_number, issue.rule) for issue in report.issues] == [
        (0, "STEMMA004"), (3, "MD033"), (3, "STEMMA011"), (5, "STEMMA005"),
    ]  # fmt: skip
    assert (report.validation_passed, outcome.validation.passed, outcome.validation.issue_count) == (False, False, 4)
    assert outcome.validation.rules == {"STEMMA004": 1, "MD033": 1, "STEMMA011": 1, "STEMMA005": 1}
    ref = outcome.validation.report
    assert ref is not None
    assert (ref.name, ref.media_type) == ("validation.json", "application/json")
    line = {"event": "validation_ran", "log_level": "info", "issue_count": 4, "line_numbers": [0, 3, 5]}
    assert logged == [line]


@pytest.mark.req("L7")
async def test_an_answer_that_its_field_does_not_accept_is_an_issue(desk: Desk) -> None:
    region, start = (f"f-{letter * 10}" for letter in "ab")
    fields = (
        FormField(field_id=region, place="Form!B2", kind="choice", allowed=("North", "South")),
        FormField(field_id=start, place="Form!B3", kind="date"),
    )
    form = AnsweredForm(input_id="input-1", version=1, fields=await desk.put(FormFields(fields=fields)))
    text = f"# Form\n\n### {region}: Region\n\nWest\n\n### {start}: Start\n\n2027-05-03\n"
    outcome = await desk.handled(await desk.job(text, plan={"form": form}))
    assert outcome.validation.rules.get(UNACCEPTED_ANSWER) == 1
    (issue,) = [one for one in (await desk.report(outcome)).issues if one.rule == UNACCEPTED_ANSWER]
    assert (issue.line_number, issue.message) == (3, f'{region}: "West" is not one of "North", "South"')
    lost = form.model_copy(update={"fields": form.fields.model_copy(update={"digest": "0" * 64})})
    for job in (await desk.job(text, plan={"form": lost}), await desk.job(text)):
        assert UNACCEPTED_ANSWER not in (await desk.handled(job)).validation.rules


@pytest.mark.req("L7")
async def test_what_a_form_asks_is_no_claim_that_an_input_would_have_to_say(desk: Desk) -> None:
    brief = await desk.put("# Bus")
    form = AnsweredForm(input_id="input-1", version=1, fields=brief)
    job = await desk.job(
        "# Form\n\n### f-1919764188: 26 monitors of 32 inches\n\nWest\n", plan={"form": form}, brief=brief
    )
    assert (await desk.handled(job)).validation.unsupported == {}


@pytest.mark.req("V4")
async def test_a_fault_that_both_find_is_told_once(desk: Desk) -> None:
    outcome = await desk.handled(await desk.job("Text [a][b] [c](#d).\n\n# One\n\n# Two\n"))
    assert outcome.validation.rules == {"MD041": 1, "MD052": 1, "MD051": 1, "MD025": 1, "STEMMA013": 1}


async def only_message(desk: Desk, outcome: DraftValidated) -> str:
    report = await desk.report(outcome)
    assert (report.validation_passed, outcome.validation.rules) == (False, {"STEMMA000": 1})
    return report.issues[0].message


@pytest.mark.req("V2")
@pytest.mark.failure("linter-fails")
@pytest.mark.parametrize(
    ("text", "tools", "message"),
    [
        (None, {}, "temp_output.md not found"),
        (b"# A\n\xff\xfe\n", {}, "temp_output.md is not UTF-8 text"),
        ("# A\n\ntext\n", {"draft_limit": 9}, "temp_output.md is larger than 9 bytes"),
        ("# A\n", {}, "rumdl not found"),
    ],
)
async def test_a_draft_that_cannot_be_checked_is_an_issue(
    desk: Desk, tmp_path: Path, text: str | bytes | None, tools: dict[str, int], message: str
) -> None:
    lost = ArtifactRef(digest=digest_of(b"x"), size=1, media_type="text/markdown", name="temp_output.md")
    no_engine = RumdlEngine(RULES, executable=tmp_path / "rumdl", limits=Limits(), processes=1)
    outcome = await desk.handled(await desk.job(lost if text is None else text), engine=no_engine, **tools)
    assert await only_message(desk, outcome) == message


@pytest.mark.req("V2")
@pytest.mark.parametrize(
    ("body", "limits", "message"),
    [
        ("echo oops >&2; echo more >&2; exit 2", Limits(), "rumdl crashed (status 2): oops"),
        ("kill -9 $$", Limits(), "rumdl crashed (status -9)"),
        ("echo '['; echo oops >&2", Limits(), "rumdl output unreadable: oops"),
        ("exit 0", Limits(), "rumdl output unreadable"),
        ("while :; do :; done", Limits(seconds=0.3), "Validation timeout (0.3s)"),
    ],
)
async def test_a_failing_engine_is_an_issue(
    desk: Desk, script: Callable[..., RumdlEngine], body: str, limits: Limits, message: str
) -> None:
    outcome = await desk.handled(await desk.job("# A\n"), engine=script(body, limits=limits))
    assert await only_message(desk, outcome) == message
    assert Limits().seconds == 30


@pytest.mark.req("V2")
@pytest.mark.failure("check-stalls")
async def test_a_check_that_the_machine_had_no_time_for_is_no_issue_and_is_tried_again(
    desk: Desk, script: Callable[..., RumdlEngine]
) -> None:
    job = await desk.job("# A\n\nText.\n")
    with pytest.raises(Stalled):
        await desk.handled(job, engine=script("exec sleep 300", limits=Limits(wall_seconds=0.3)))
    assert (await desk.handled(job)).validation.passed


async def test_a_report_of_a_hopeless_draft_stays_small(desk: Desk) -> None:
    outcome = await desk.handled(await desk.job("# Budget\n\n" + "TODO\n\n" * 2_000 + "End.\n"))
    assert outcome.validation.issue_count == 2_000
    assert len((await desk.report(outcome)).issues) == 500


@pytest.mark.parametrize(
    "text",
    [
        ">" * 20_000 + "a\n",
        "".join(f"x[^{n}]\n\n[^{n}]: note[^{n + 1}]\n\n" for n in range(500)),
        "| " + "a | " * 300 + "\n|" + "-|" * 300 + "\n" + ("| " + "b | " * 300 + "\n") * 30,
        "\x00\x0b\x0c\u2028\r\rtext",
    ],
    ids=["quotes", "footnotes", "table", "controls"],
)
async def test_answers_to_hostile_markdown(desk: Desk, text: str) -> None:
    assert (await desk.handled(await desk.job(text))).validation.issue_count > 0


async def test_a_large_draft_is_checked_in_a_process_of_its_own(desk: Desk) -> None:
    paragraph = "Some *words* and `code` with a [map](https://example.org).\n" * 4 + "\n"
    text = "# Budget\n\n" + paragraph * 600 + "TODO\n"
    outcome = await desk.handled(await desk.job(text, headings=("Costs",)))
    assert outcome.validation.rules == {"STEMMA004": 1, "STEMMA011": 1, "STEMMA015": 1}


@pytest.mark.req("V2")
async def test_a_large_hostile_draft_ends_at_the_time_limit(desk: Desk) -> None:
    handling = desk.handled(await desk.job("# A\n\n" + "![" * 500_000), limits=Limits(seconds=0.1))
    assert await only_message(desk, await asyncio.wait_for(handling, 60)) == "Validation timeout (0.1s)"
