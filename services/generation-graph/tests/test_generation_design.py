"""The agents of the design document: what they refuse, what they are given, what code makes of what they say."""

import json
from typing import Any

import pytest
from generation_workshop import Workshop, evaluation
from pydantic import ValidationError
from stemma_contracts.v1.jobs import GenerateSection, OutlineEntry
from stemma_contracts.v1.outcomes import InputsMissing
from stemma_contracts.v1.provenance import RetrievedSource
from stemma_generation_graph.graphs.single_call import Review
from stemma_models.prompting import parse_blocks

LONG = "# Design\n\n" + "The gate server keeps the list of boats. " * 4
SHORT = " \n" + "x" * 99 + "\n "
DRAFT = "# Draft\n\nThe design.\n"


async def job_of(workshop: Workshop, kind: str, *, requires: tuple[str, ...] = (), **fields: Any) -> GenerateSection:
    graph = fields.pop("graph", "section")
    job = await workshop.job(kind, **fields)
    changes = {"requires": requires, "graph": graph, "agent": "SomeAgent", "title": "The design"}
    return job.model_copy(update={"section": job.section.model_copy(update=changes)})


def finding(severity: str, section: str = "hld_draft") -> dict[str, str]:
    return {"section": section, "severity": severity, "finding": "The tide is\nmissing.", "suggestion": "Add it."}


def review(*severities: str, **other: Any) -> str:
    return json.dumps({"summary": "Sound.", "findings": [finding(severity) for severity in severities]} | other)


@pytest.mark.req("D2")
@pytest.mark.parametrize(
    ("kind", "required", "text"),
    [("draft_lld", "hld_draft", None), ("design_database", "lld_draft", ""), ("format_doc", "database_schema", SHORT)],
)
async def test_an_agent_whose_input_is_missing_or_short_calls_no_model(
    workshop: Workshop, kind: str, required: str, text: str | None
) -> None:
    upstream = await workshop.upstream(**({} if text is None else {required: text}))
    brief = await workshop.store(" \n\t\n")
    job = await job_of(workshop, kind, requires=(required, "project_brief"), upstream=upstream, brief=brief)
    outcome, model = await workshop.run(job, [])
    assert isinstance(outcome, InputsMissing)
    wanted = (
        f"{required} is required and must be at least 100 characters; project_brief is required and must not be blank"
    )
    assert (outcome.detail, outcome.missing, model.calls) == (wanted, (required, "project_brief"), 0)


@pytest.mark.req("D2", "D4")
async def test_an_input_of_a_hundred_characters_is_enough_and_a_revision_has_the_review_in_its_context(
    workshop: Workshop,
) -> None:
    upstream = await workshop.upstream(hld_draft=SHORT.replace("x" * 99, "x" * 100))
    feedback = await workshop.store("# Review\n\nThe tide is missing.\n")
    given = {"upstream": upstream, "revision_feedback": feedback}
    job = await job_of(workshop, "draft_lld", requires=("hld_draft", "project_brief"), **given)
    _, model = await workshop.run(job, [DRAFT, evaluation("draft_lld")])
    blocks = {found.tag: found.text for found in parse_blocks(str(model.prompts[0][1].text))}
    assert blocks["revision_feedback"] == "# Review\n\nThe tide is missing.\n"


@pytest.mark.req("D3")
@pytest.mark.parametrize(
    ("severities", "needed"), [((), False), (("minor",), False), (("minor", "major"), True), (("critical",), True)]
)
async def test_whether_a_revision_is_needed_is_computed_from_the_severities(
    workshop: Workshop, severities: tuple[str, ...], needed: bool
) -> None:
    job = await job_of(workshop, "review_doc", graph="reviewer", upstream=await workshop.upstream(hld_draft=LONG))
    outcome, model = await workshop.run(job, [review(*severities)])
    assert outcome.review.needs_revision is needed
    assert outcome.review.findings == dict.fromkeys(severities, 1)
    assert (outcome.evaluation.judged, outcome.evaluation.scores, model.calls) == (False, {}, 1)


@pytest.mark.req("D3")
def test_a_model_cannot_say_by_itself_that_a_revision_is_needed() -> None:
    with pytest.raises(ValidationError, match="needs_revision"):
        Review.model_validate_json(review(needs_revision=False))


async def test_a_review_is_written_with_the_gravest_findings_first_and_without_their_numbers(
    workshop: Workshop,
) -> None:
    job = await job_of(workshop, "review_doc", graph="reviewer", upstream=await workshop.upstream(hld_draft=LONG))
    numbered = finding("critical") | {"finding": "2. The tide is\nmissing.", "suggestion": "(2) Add it."}
    outcome, _ = await workshop.run(job, [review("minor", findings=[finding("minor"), numbered])])
    assert await workshop.read(outcome.draft) == (
        "# The design\n\nSound.\n\n## Critical findings\n\n- Hld_Draft: The tide is missing. To mend it: Add it.\n\n"
        "## Minor findings\n\n- Hld_Draft: The tide is missing. To mend it: Add it.\n"
    )


async def test_a_finding_about_a_section_that_is_not_under_review_is_asked_for_again(workshop: Workshop) -> None:
    job = await job_of(workshop, "review_doc", graph="reviewer", upstream=await workshop.upstream(hld_draft=LONG))
    elsewhere = json.dumps({"summary": "Sound.", "findings": [finding("major", "budget")]})
    outcome, model = await workshop.run(job, [elsewhere, review("major")])
    assert outcome.review.needs_revision
    assert "unknown sections: ['budget']" in model.prompt_text(1)


@pytest.mark.req("M6")
@pytest.mark.failure("judge-fails")
async def test_a_review_that_cannot_be_read_says_that_nobody_reviewed_and_why(workshop: Workshop) -> None:
    job = await job_of(workshop, "review_doc", graph="reviewer", upstream=await workshop.upstream(hld_draft=LONG))
    outcome, _ = await workshop.run(job, ["It is sound."] * 3)
    assert "Nobody has reviewed these sections" in await workshop.read(outcome.draft)
    assert not outcome.evaluation.judged
    assert outcome.evaluation.not_judged_reason == "the reviewer failed: Review does not fit: json_invalid"
    assert outcome.review is None


async def formatted(workshop: Workshop, hld: str, **fields: Any) -> str:
    upstream = await workshop.upstream(hld_draft=hld, review="# R\n\nOk.\n")
    outline = (
        OutlineEntry(section_id="hld_draft", title="HLD", kind="draft_hld"),
        OutlineEntry(section_id="review", title="Review", kind="review_doc"),
    )
    job = await job_of(workshop, "format_doc", graph="formatter", upstream=upstream, outline=outline, **fields)
    told = json.dumps({"introduction": "A gate for boats.", "key_decisions": ["One server"]})
    outcome, _ = await workshop.run(job, [told, evaluation("format_doc")])
    return await workshop.read(outcome.draft)


@pytest.mark.req("D3")
async def test_the_final_document_holds_the_drafts_word_for_word_and_not_the_review_but_what_it_found_in_vain(
    workshop: Workshop,
) -> None:
    body = (
        "    first\n\nOne  \ntwo `^[^@]+@[^1]+$` and ``[^1]\n` [^1]`` but [^none], \\[^1].\n\n"
        "```make\nall:\n\tcc [^1]\n\n\n## no heading\n[^none]: x\n```python\n```\n\n```x``` here[^1].\n\n[^1]: Seen."
    )
    renamed = body.replace("here[^1]", "here[^hld_draft-1]").replace("[^1]: Seen", "[^hld_draft-1]: Seen")
    unmet = await workshop.store("# Review\n\nSound.\n\n## Major findings\n\n- The tide is missing.\n")
    assert await formatted(workshop, f"# HLD\n\n## Parts\n\n{body}\n", unmet_review=unmet) == (
        "# The design\n\nA gate for boats.\n\n## Key decisions\n\n- One server.\n\n"
        f"## Hld_Draft\n\n### Parts\n\n{renamed}\n\n"
        "## Open findings of the review\n\nThe last review asked for a revision that was not made any more. "
        "This is what it found:\n\nSound.\n\n### Major findings\n\n- The tide is missing.\n"
    )


@pytest.mark.req("M4")
async def test_a_final_document_whose_introduction_said_too_much_stands_without_it(workshop: Workshop) -> None:
    upstream = await workshop.upstream(hld_draft=LONG)
    job = await job_of(workshop, "format_doc", graph="formatter", upstream=upstream, quote_only=True)
    outcome, model = await workshop.run(job, [])
    assert "# The design\n\n## Hld_Draft" in await workshop.read(outcome.draft)
    assert (model.calls, outcome.partial, outcome.evaluation.judged) == (0, True, False)
    assert "the drafts stand without an introduction" in outcome.warnings[0].detail


@pytest.mark.req("D7")
async def test_what_fed_a_section_and_how_it_was_made_are_told(workshop: Workshop) -> None:
    upstream = await workshop.upstream(hld_draft=LONG)
    job = await job_of(workshop, "draft_lld", upstream=upstream, files={"tides.md": "# Tides\n\nHigh at noon.\n"})
    outcome, _ = await workshop.run(job, [DRAFT, evaluation("draft_lld")])
    assert outcome.retrieved_context == (
        RetrievedSource(kind="input", name="tides.md"),
        RetrievedSource(kind="upstream", name="hld_draft", version=1),
    )
    bare, _ = await workshop.run(await job_of(workshop, "draft_hld"), [DRAFT, evaluation("draft_hld")])
    assert '"retrieved_context":[]' in bare.model_dump_json(exclude_defaults=True)
    told = outcome.processing_metadata
    assert (told.agent, told.model, told.prompt_digest) == ("SomeAgent", "scripted", outcome.provenance.prompt_digest)
    assert told.agent_version.startswith("generation-graph/")
    assert told.seconds == round((told.finished_at - told.started_at).total_seconds(), 3)
