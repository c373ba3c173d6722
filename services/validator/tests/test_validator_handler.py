import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from stemma_artifacts.store import ArtifactStore, digest_of
from stemma_confinement import Limits, Stalled
from stemma_contracts.v1.forms import AnsweredForm, FormField, FormFields
from stemma_contracts.v1.jobs import UpstreamDraft, ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import UNACCEPTED_ANSWER, ValidationReport
from stemma_validator.engines import LintEngine, RumdlEngine
from stemma_validator.handlers import DRAFT_LIMIT, on_validate_draft
from structlog.testing import capture_logs

from .conftest import DOCUMENT, RULES, TENANT, stored, tools_of, validate_draft

Build = Callable[..., Awaitable[ValidateDraft]]


@pytest.fixture
def run(artifacts: ArtifactStore, rumdl: RumdlEngine) -> Callable[..., Awaitable[DraftValidated]]:
    async def handle(job: ValidateDraft, engine: LintEngine = rumdl, draft_limit: int = DRAFT_LIMIT) -> DraftValidated:
        return await on_validate_draft(job, tools=tools_of(artifacts, engine, draft_limit=draft_limit))

    return handle


Run = Callable[..., Awaitable[DraftValidated]]


async def report_of(outcome: DraftValidated, artifacts: ArtifactStore) -> ValidationReport:
    return await stored(artifacts, outcome.validation.report, ValidationReport)


@pytest.mark.req("V1", "V3")
async def test_a_clean_draft_passes_and_has_a_report_only_where_it_is_asked_for(
    run: Run, job_for: Build, artifacts: ArtifactStore
) -> None:
    job = await job_for(
        "# Budget\n\n![The plan](media/plan.png)\n\n## Costs\n\nText.\n",
        assets=("media/plan.png",),
        headings=("Costs",),
    )
    outcome = await run(job)
    assert (outcome.job_id, outcome.tenant, outcome.document_id, outcome.section_id) == (
        job.job_id, TENANT, DOCUMENT, "budget",
    )  # fmt: skip
    assert outcome.validation.model_dump(exclude_defaults=True) == {
        "passed": True, "issue_count": 0, "engine": "rumdl", "engine_version": "0.3.0",
    }  # fmt: skip
    report = await report_of(await run(job.model_copy(update={"always_report": True})), artifacts)
    assert (report.validation_passed, report.issues) == (True, ())


@pytest.mark.req("V1", "T2")
async def test_an_excerpt_is_asked_nothing_that_only_the_whole_can_tell(
    run: Run, job_for: Build, artifacts: ArtifactStore
) -> None:
    text = "# D\n\n## A\n\n[B](#b), [c][c] and d[^d].\n\nTODO: ![x](x.png) \n\n[e]: https://example.org\n"
    text += "\nAsk Ruth Adeyemi, see plan.md for more.\n"
    brief = await artifacts.put(TENANT, DOCUMENT, b"TODO", media_type="text/markdown", name="brief.md")
    job = (await job_for(text, headings=("B",))).model_copy(update={"brief": brief})
    part = job.model_copy(update={"excerpt": True})
    rules = [{issue.rule for issue in (await report_of(await run(j), artifacts)).issues} for j in (job, part)]
    assert rules[0] - rules[1] == {"MD051", "MD052", "MD053", "STEMMA004", "STEMMA008", "grounding/citation"}
    assert rules[1] == {"MD009", "STEMMA005", "STEMMA011", "grounding/name"}


@pytest.mark.req("B8")
async def test_sums_are_held_against_rows_ceiling_and_other_sections(
    run: Run, job_for: Build, artifacts: ArtifactStore
) -> None:
    async def put(text: str) -> ArtifactRef:
        return await artifacts.put(TENANT, DOCUMENT, text.encode(), media_type="text/markdown", name="a.md")

    rows = "| Item | Price |\n| --- | --- |\n| Boats | EUR 60,000 |\n| Nets | EUR 46,050 |\n| Total | EUR 106,000 |\n"
    brief = await put("# Brief\n\nBoats cost EUR 60,000, nets EUR 46,050.\n\nThe bid must not exceed EUR 104,000.\n")
    said = UpstreamDraft(section_id="plan", title="Plan", version=1, draft=await put("In total, EUR 99,000 is due.\n"))
    job = (await job_for(f"# Budget\n\n{rows}")).model_copy(update={"brief": brief, "others": (said,)})
    issues = (await report_of(await run(job), artifacts)).issues
    assert [(issue.line_number, issue.rule, issue.params) for issue in issues if "sums/" in issue.rule] == [
        (7, "sums/differs", {"stated": "EUR 106,000", "made": "106,050 EUR"}),
        (7, "sums/elsewhere", {"here": "EUR 106,000", "there": "EUR 99,000", "section_id": "plan"}),
        (7, "sums/over", {"total": "EUR 106,000", "most": "EUR 104,000", "source": "a.md", "line": 5}),
    ]


@pytest.mark.req("V1", "V4")
async def test_issues_of_both_kinds_come_in_line_order_with_counts(
    run: Run, job_for: Build, artifacts: ArtifactStore
) -> None:
    outcome = await run(await job_for("# Budget\n\nTODO <b>x</b>\n\n![x](gone.png)\n", headings=("Costs",)))
    report = await report_of(outcome, artifacts)
    assert [(issue.line_number, issue.rule) for issue in report.issues] == [
        (0, "STEMMA004"), (3, "MD033"), (3, "STEMMA011"), (5, "STEMMA005"),
    ]  # fmt: skip
    assert not report.validation_passed
    assert not outcome.validation.passed
    assert outcome.validation.issue_count == 4
    assert outcome.validation.rules == {"STEMMA004": 1, "MD033": 1, "STEMMA011": 1, "STEMMA005": 1}
    assert outcome.validation.report is not None
    assert (outcome.validation.report.name, outcome.validation.report.media_type) == (
        "validation.json", "application/json",
    )  # fmt: skip


@pytest.mark.req("L7")
async def test_an_answer_that_its_field_does_not_accept_is_an_issue(
    run: Run, job_for: Build, artifacts: ArtifactStore
) -> None:
    region, start = (f"f-{letter * 10}" for letter in "ab")
    fields = (
        FormField(field_id=region, place="Form!B2", kind="choice", allowed=("North", "South")),
        FormField(field_id=start, place="Form!B3", kind="date"),
    )
    data = FormFields(fields=fields).model_dump_json().encode()
    told = await artifacts.put(TENANT, DOCUMENT, data, media_type="application/json", name="fields.json")
    job = await job_for(f"# Form\n\n### {region}: Region\n\nWest\n\n### {start}: Start\n\n2027-05-03\n")
    form = AnsweredForm(input_id="input-1", version=1, fields=told)
    answering = job.model_copy(update={"section": job.section.model_copy(update={"form": form})})
    outcome = await run(answering)
    assert outcome.validation.rules.get(UNACCEPTED_ANSWER) == 1
    (issue,) = [one for one in (await report_of(outcome, artifacts)).issues if one.rule == UNACCEPTED_ANSWER]
    assert (issue.line_number, issue.message) == (3, f'{region}: "West" is not one of "North", "South"')
    lost = form.model_copy(update={"fields": told.model_copy(update={"digest": "0" * 64})})
    unknown = job.model_copy(update={"section": job.section.model_copy(update={"form": lost})})
    assert UNACCEPTED_ANSWER not in (await run(unknown)).validation.rules
    assert UNACCEPTED_ANSWER not in (await run(job)).validation.rules


@pytest.mark.req("L7")
async def test_what_a_form_asks_is_no_claim_that_an_input_would_have_to_say(
    run: Run, job_for: Build, artifacts: ArtifactStore
) -> None:
    brief = await artifacts.put(TENANT, DOCUMENT, b"# Bus", media_type="text/markdown", name="brief.md")
    job = await job_for("# Form\n\n### f-1919764188: 26 monitors of 32 inches\n\nWest\n")
    form = AnsweredForm(input_id="input-1", version=1, fields=brief)
    answering = job.model_copy(update={"section": job.section.model_copy(update={"form": form}), "brief": brief})
    assert (await run(answering)).validation.unsupported == {}


@pytest.mark.req("V4")
async def test_a_fault_that_both_find_is_told_once(run: Run, job_for: Build) -> None:
    outcome = await run(await job_for("Text [a][b] [c](#d).\n\n# One\n\n# Two\n"))
    assert outcome.validation.rules == {"MD041": 1, "MD052": 1, "MD051": 1, "MD025": 1, "STEMMA013": 1}


async def only_message(outcome: DraftValidated, artifacts: ArtifactStore) -> str:
    report = await report_of(outcome, artifacts)
    assert not report.validation_passed
    assert outcome.validation.rules == {"STEMMA000": 1}
    return report.issues[0].message


@pytest.mark.req("V2")
@pytest.mark.failure("linter-fails")
@pytest.mark.parametrize(
    ("text", "limit", "message"),
    [
        (None, DRAFT_LIMIT, "temp_output.md not found"),
        (b"# A\n\xff\xfe\n", DRAFT_LIMIT, "temp_output.md is not UTF-8 text"),
        ("# A\n\ntext\n", 9, "temp_output.md is larger than 9 bytes"),
        ("# A\n", DRAFT_LIMIT, "rumdl not found"),
    ],
)
async def test_a_draft_that_cannot_be_checked_is_an_issue(
    run: Run, job_for: Build, artifacts: ArtifactStore, tmp_path: Path, text: str | None, limit: int, message: str
) -> None:
    lost = ArtifactRef(digest=digest_of(b"x"), size=1, media_type="text/markdown", name="temp_output.md")
    job = validate_draft(lost) if text is None else await job_for(text)
    no_engine = RumdlEngine(RULES, executable=tmp_path / "rumdl", limits=Limits(), processes=1)
    assert await only_message(await run(job, no_engine, limit), artifacts) == message


@pytest.mark.req("V2")
async def test_a_timeout_is_an_issue(
    run: Run, job_for: Build, artifacts: ArtifactStore, script: Callable[..., RumdlEngine]
) -> None:
    outcome = await run(await job_for("# A\n"), script("while :; do :; done", limits=Limits(seconds=0.3)))
    assert await only_message(outcome, artifacts) == "Validation timeout (0.3s)"
    assert Limits().seconds == 30


@pytest.mark.req("V2")
@pytest.mark.failure("check-stalls")
async def test_a_check_that_the_machine_had_no_time_for_is_no_issue_and_is_tried_again(
    run: Run, job_for: Build, script: Callable[..., RumdlEngine]
) -> None:
    job = await job_for("# A\n\nText.\n")
    with pytest.raises(Stalled):
        await run(job, script("exec sleep 300", limits=Limits(wall_seconds=0.3)))
    assert (await run(job)).validation.passed


@pytest.mark.req("V2")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("echo oops >&2; echo more >&2; exit 2", "rumdl crashed (status 2): oops"),
        ("kill -9 $$", "rumdl crashed (status -9)"),
        ("echo '['; echo oops >&2", "rumdl output unreadable: oops"),
        ("exit 0", "rumdl output unreadable"),
    ],
)
async def test_a_failing_engine_is_an_issue(
    run: Run, job_for: Build, artifacts: ArtifactStore, script: Callable[..., RumdlEngine], body: str, message: str
) -> None:
    assert await only_message(await run(await job_for("# A\n"), script(body)), artifacts) == message


async def test_a_byte_order_mark_does_not_hide_the_title(run: Run, job_for: Build) -> None:
    assert (await run(await job_for("\ufeff# Budget\n\nText.\n"))).validation.passed


async def test_the_log_line_has_counts_and_lines_and_no_text(run: Run, job_for: Build) -> None:
    with capture_logs() as lines:
        await run(await job_for("# Budget\n\nTODO secret\n\nTBD\n"))
    assert lines == [
        {"event": "validation_ran", "log_level": "info", "issue_count": 2, "line_numbers": [3, 5]},
    ]


async def test_a_report_of_a_hopeless_draft_stays_small(run: Run, job_for: Build, artifacts: ArtifactStore) -> None:
    outcome = await run(await job_for("# Budget\n\n" + "TODO\n\n" * 2_000 + "End.\n"))
    assert outcome.validation.issue_count == 2_000
    assert len((await report_of(outcome, artifacts)).issues) == 500


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
async def test_answers_to_hostile_markdown(run: Run, job_for: Build, text: str) -> None:
    assert (await run(await job_for(text))).validation.issue_count > 0


async def test_a_large_draft_is_checked_in_a_process_of_its_own(run: Run, job_for: Build) -> None:
    paragraph = "Some *words* and `code` with a [map](https://example.org).\n" * 4 + "\n"
    outcome = await run(await job_for("# Budget\n\n" + paragraph * 600 + "TODO\n", headings=("Costs",)))
    assert outcome.validation.rules == {"STEMMA004": 1, "STEMMA011": 1, "STEMMA015": 1}


@pytest.mark.req("V2")
async def test_a_large_hostile_draft_ends_at_the_time_limit(
    job_for: Build, artifacts: ArtifactStore, rumdl: RumdlEngine
) -> None:
    job = await job_for("# A\n\n" + "![" * 500_000)
    handling = on_validate_draft(job, tools=tools_of(artifacts, rumdl, Limits(seconds=0.1)))
    outcome = await asyncio.wait_for(handling, 60)
    assert await only_message(outcome, artifacts) == "Validation timeout (0.1s)"
