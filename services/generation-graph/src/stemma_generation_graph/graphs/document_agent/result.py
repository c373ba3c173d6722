"""What a run delivers: the draft, its evaluation, the images that it brings along, what a person should know."""

from __future__ import annotations

from typing import Any

from stemma_contracts.v1.coverage import LeftOutList
from stemma_contracts.v1.evaluation import ProgramCheck
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.needs import SKIP

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.session.references import supplied_assets
from stemma_generation_graph.session.session import DRAFT, Session
from stemma_generation_graph.writing.evaluating import coded_check, evaluate_draft, not_judged
from stemma_generation_graph.writing.material import load_material

from .covering import Written, document_coverage
from .failures import FAILURES, Update, failure_of
from .prompting import title_of
from .state import DocumentState, job_of


async def ensure_draft(state: DocumentState, run: RunContext, session: Session) -> None:
    if not (await session.text(DRAFT)).strip():
        await session.write(DRAFT, f"# {await title_of(job_of(state), run.library)}\n")


async def delivery(state: DocumentState, deps: GraphDeps, run: RunContext, session: Session) -> Update:
    job = job_of(state)
    await ensure_draft(state, run, session)
    evaluation, warnings = await _evaluation(state, deps, run, session), list[dict[str, Any]]()
    written = await document_coverage(state, session)
    evaluation = {**evaluation, "checks": [_coverage_check(written).model_dump(mode="json")]}
    if unfinished := len(written.open_chapters):
        warnings = [*warnings, {"code": "unfinished_chapters", "count": unfinished}]
    skipped = sum(decision == SKIP for decision in state["user_decisions"].values())
    if skipped:
        warnings = [*warnings, {"code": "skipped_image", "count": skipped}]
    return {
        "status": "partial" if state["partial"] else "completed",
        "manifest": session.manifest,
        "draft_artifact": {**session.manifest[DRAFT], "name": f"{job.section.section_id}.md"},
        "left_out_artifact": await _left_out(state, run, job),
        "evaluation": evaluation,
        "assets": [asset.model_dump(mode="json") for asset in supplied_assets(session)],
        "warnings": warnings,
    }


async def _left_out(state: DocumentState, run: RunContext, job: GenerateSection) -> dict[str, Any] | None:
    if not state["left_out"]:
        return None
    named = LeftOutList.model_validate({"left_out": state["left_out"]}).model_dump_json().encode()
    name = f"{job.section.section_id}.left-out.json"
    return (await run.library.store(job.document, named, "application/json", name)).model_dump(mode="json")


async def _evaluation(state: DocumentState, deps: GraphDeps, run: RunContext, session: Session) -> dict[str, Any]:
    """A partial draft is not worth a call, and no evaluation is no reason to lose a draft."""
    job = job_of(state)
    if state["partial"]:
        return not_judged([], "it is partial")
    try:
        material = await load_material(job, run.library, deps.limits)
        return await evaluate_draft(deps, run, job, material, await session.text(DRAFT))
    except FAILURES as error:
        return not_judged([], failure_of(error)["failure"]["detail"])


def _coverage_check(written: Written) -> ProgramCheck:
    """The criterion that no model scores: whether the document holds all that the inputs say."""
    missing, total = len(written.missing), len(written.blocks)
    if missing:
        return coded_check("coverage", False, "blocks_missing", missing=missing, all=total)
    return coded_check("coverage", True, "blocks_covered", all=total)
