"""The graph of the document agent and its nodes: state in, partial update out. None has an effect before it pauses."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from functools import wraps
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from opentelemetry import metrics
from opentelemetry.metrics import Meter
from stemma_contracts.v1.coverage import LeftOutList
from stemma_contracts.v1.evaluation import ProgramCheck
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.needs import SKIP, MissingReference, NeedAnswer, answer_form
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.validation import NOT_CHECKED
from stemma_telemetry import bind, get_logger
from stemma_telemetry.names import Log, Metric

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.evaluating import coded_check, evaluate_draft, not_judged
from stemma_generation_graph.graphs.transitions import Change, Node, noted
from stemma_generation_graph.passages import REQUEST, words_of
from stemma_generation_graph.reading import Text
from stemma_generation_graph.sources import InputsRefused
from stemma_generation_graph.tools import answers_to_broken, run_tool_calls
from stemma_generation_graph.writing import load_material

from . import checking
from .images import MAX_IMAGE_BYTES, batch_of, decided, is_image, question_about, quoted, scan, supplied_assets
from .session import CHECKPOINTS, DOCX, DRAFT, STRUCTURE, Session, new_manifest, outline_of
from .state import (
    FAILURES,
    AgentFailure,
    DocumentState,
    Update,
    build_initial_state,
    failure_of,
    guarded,
    is_call,
    job_of,
    router,
    targets_of,
    with_all_fields,
)
from .steps import GO_ON_WITH_TOOLS, MOST_STALLED, answered_at, progress, take_step, title_of, unanswered_calls
from .tools import FINISH, READABLE, ToolContext, get_tools, shown_text


async def ensure_draft(state: DocumentState, run: RunContext, session: Session) -> None:
    if not (await session.text(DRAFT)).strip():
        await session.write(DRAFT, f"# {await title_of(job_of(state), run.library)}\n")


async def delivery(state: DocumentState, deps: GraphDeps, run: RunContext, session: Session) -> Update:
    job = job_of(state)
    await ensure_draft(state, run, session)
    evaluation, warnings = await _evaluation(state, deps, run, session), list[dict[str, Any]]()
    written = await checking.document_coverage(state, session)
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
        material = await load_material(job, run.library, deps.limits, deps.kinds, run.call)
        return await evaluate_draft(deps, run, job, material, await session.text(DRAFT))
    except FAILURES as error:
        return not_judged([], failure_of(error)["failure"]["detail"])


def _coverage_check(written: checking.Written) -> ProgramCheck:
    """The criterion that no model scores: whether the document holds all that the inputs say."""
    missing, total = len(written.missing), len(written.blocks)
    if missing:
        return coded_check("coverage", False, "blocks_missing", missing=missing, all=total)
    return coded_check("coverage", True, "blocks_covered", all=total)


MAX_LOGGED_LINES = 50
MAX_DETAIL = 300

log = get_logger()


class DocumentNodes:
    def __init__(self, deps: GraphDeps, meter: Meter) -> None:
        self._deps = deps
        self._validation_failed = meter.create_counter(Metric.VALIDATION_FAILED)
        self._rollback_performed = meter.create_counter(Metric.ROLLBACK_PERFORMED)

    async def scan_assets(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        session = _session(state, runtime)
        inputs = {name: await session.text("inputs/" + name) for name in state["input_files"]}
        given = [Text(name, text) for name, text in inputs.items()]
        sources = await runtime.context.library.sources(job_of(state).document, given)
        texts = {name: await shown_text(session, name, {}) for name in state["input_files"]}
        missing = await asyncio.to_thread(scan, session, sources)
        return {
            "manifest": session.manifest,
            "document_outline": [asdict(chapter) for chapter in await session.compute(outline_of, texts)],
            "missing_references": [entry.model_dump(mode="json") for entry in missing],
            "pending_question": question_about(batch_of(missing)) if missing else "",
            "question_about": checking.IMAGES if missing else "",
            "status": "waiting" if missing else "processing",
        }

    async def agent(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        """One call of the model, with the tools. Words without a call end the work once everything is written."""
        bound = self._steps(state) + state["extra_steps"]
        if state["agent_steps"] >= bound:
            return self._at_bound(state, checking.question_at_bound(bound), "step_bound")
        session = _session(state, runtime)
        if (seen := progress(state, session))["stalled"] > MOST_STALLED:
            return self._at_bound(state, checking.question_without_progress(seen["stalled"]), "no_progress")
        step = seen | await take_step(state, self._deps, runtime.context, session, seen["stalled"])
        if is_call(step["messages"][-1]):
            return step
        open_still = (await checking.document_coverage(state, session)).open_words()
        if not open_still:
            return {**step, "generation_complete": True}
        return {**step, "messages": [*step["messages"], HumanMessage(f"{open_still}\n\n{GO_ON_WITH_TOOLS}")]}

    def _steps(self, state: DocumentState) -> int:
        return self._deps.agent.steps_for(len(state["document_outline"]))

    def _at_bound(self, state: DocumentState, why: str, error: str) -> Update:
        match self._deps.agent.on_step_bound:
            case "human_input":
                done, chapters = state["current_chapter"], len(state["document_outline"])
                question = checking.question_whether_to_go_on(why, self._steps(state), done, chapters)
                return {"pending_question": question, "question_about": checking.STEPS, "status": "waiting"}
            case "complete":
                return _ended_at_bound(state)
            case "fail":
                raise AgentFailure(error, f"after {state['agent_steps']} steps", retryable=False)

    async def tools(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        session = _session(state, runtime)
        bench = self._bench(state, session, runtime.context)
        last = state["messages"][-1]
        assert isinstance(last, AIMessage)
        calls = sorted(last.tool_calls, key=lambda call: call["name"] == FINISH)
        answers = await run_tool_calls(calls, get_tools(session.session_id), bench)
        answers += answers_to_broken(last.invalid_tool_calls)
        back_to = bench.marks.pop("rolled_back_to", None)
        if back_to is not None:
            bench.marks |= self._back_at(state, back_to, bench.checkpoint_chapters)
        if bench.marks.get("checkpoint_created"):
            log.info(Log.CHECKPOINT_SAVED, chapter=state["current_chapter"] + 1)
        waiting = unanswered_calls([*state["messages"], *answers])
        return {
            **bench.marks,
            "manifest": session.manifest,
            "checkpoint_chapters": bench.checkpoint_chapters,
            "messages": answers,
            "pending_call": waiting[0] if waiting else "",
        }

    def _bench(self, state: DocumentState, session: Session, run: RunContext) -> ToolContext:
        async def open_words() -> str:
            return (await checking.document_coverage(state, session, bench.left_out)).open_words()

        bench = ToolContext(
            session, state["user_decisions"], state["current_chapter"], answered_at(state), run.live, open_words,
            dict(state["checkpoint_chapters"]), list(state["left_out"]),
        )  # fmt: skip
        return bench

    async def validate_md(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        """Has the draft checked; a checkpoint counts, a check that the agent asked for does not."""
        session = _session(state, runtime)
        await ensure_draft(state, runtime.context, session)
        known = checking.is_known(state, session)
        if known:
            issues = checking.open_issues(state["validation_issues"], state["accepted_issues"])
            passed = state["validation_passed"] or (bool(state["validation_issues"]) and not issues)
        else:
            issues, passed = await self._checked(state, runtime.context, session)
        return {
            **self._verdict(state, passed, issues, is_new=not known),
            "manifest": session.manifest,
            "validation_passed": passed,
            "validation_issues": issues[: checking.MAX_ISSUES],
            "last_check": checking.mark_of(state, session),
            "checkpoint_created": False,
            "validation_requested": False,
            "pending_call": "",
            "messages": _answer_to_pending_call(state, checking.describe_issues(issues)),
        }

    async def _checked(
        self, state: DocumentState, run: RunContext, session: Session
    ) -> tuple[list[dict[str, Any]], bool]:
        """The issues that the validator finds and no chapter keeps, and whether that is none; mends what is safe."""
        checked = await checking.text_to_check(state, session)
        report = await checking.ask_validator(checked, session, job_of(state), run.library)
        if report.fixed is not None:
            mended = await run.library.text(job_of(state).document, report.fixed)
            await session.write(DRAFT, checked.put_back(mended))
        lines = sorted({issue.line_number for issue in report.issues})[:MAX_LOGGED_LINES]
        log.info(Log.VALIDATION_RAN, issue_count=len(report.issues), line_numbers=lines)
        if not report.validation_passed:
            self._validation_failed.add(1)
        issues = checking.open_issues(checking.with_keys(report, await session.text(DRAFT)), state["accepted_issues"])
        return issues, report.validation_passed or (bool(report.issues) and not issues)

    def _verdict(self, state: DocumentState, passed: bool, issues: list[dict[str, Any]], *, is_new: bool) -> Update:
        """A text gives no more attempts if it was checked before, or could not be checked: nothing was mended."""
        if not state["checkpoint_created"]:
            return {"verdict": ""}
        if passed:
            return {"verdict": "passed"}
        attempts, limits = state["fix_attempts"] + 1, self._deps.agent
        is_checked = all(issue["rule"] != NOT_CHECKED for issue in issues)
        if is_new and is_checked and attempts <= limits.max_fix_attempts:
            return {"verdict": "failed", "fix_attempts": attempts}
        detail = f"chapter {state['current_chapter'] + 1}: {checking.rules_of(issues)}"[:MAX_DETAIL]
        warning = {"code": "validation_issues", "count": max(1, len(issues)), "detail": detail}
        at_bound: Update = {"fix_attempts": attempts, "warnings": [warning]}
        match limits.on_fix_bound if is_checked else "checkpoint":
            case "checkpoint":
                found = (issue["key"] for issue in issues if issue["rule"] != NOT_CHECKED)
                accepted = [*state["accepted_issues"], *found]
                return {**at_bound, "verdict": "kept", "accepted_issues": accepted}
            case "parse_to_json":
                return {**at_bound, "verdict": "given_up"}
            case "error_handler":
                return {**at_bound, "verdict": "given_up", **failure_of(AgentFailure("validation", detail))}

    async def checkpoint(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        """Saves the chapter that passed, or keeps its issues; only here the next one begins."""
        session, done = _session(state, runtime), state["current_chapter"] + 1
        checkpoint_id = await session.snapshot(f"chapter_{done}", answered_at(state))
        session.prune_checkpoints(self._deps.agent.max_checkpoints_per_session)
        log.info(Log.CHECKPOINT_SAVED, chapter=done)
        chapters = {**state["checkpoint_chapters"], checkpoint_id: done}
        kept = set(session.names(CHECKPOINTS))
        return {
            **_progress(state, done),
            "manifest": session.manifest,
            "last_checkpoint_id": checkpoint_id,
            "settled_checkpoint": checkpoint_id,
            "checkpoint_chapters": {name: chapter for name, chapter in chapters.items() if name in kept},
            "verdict": "",
            "fix_attempts": 0,
        }

    async def human_input(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        """Asks a person: about missing images, what the agent wants to know, or whether to go on at its bound.

        An answer that the question does not understand changes nothing: it is asked again.
        """
        about, library = checking.subject_of(state), runtime.context.library
        missing = [MissingReference.model_validate(entry) for entry in state["missing_references"]]
        asked = batch_of(missing) if about == checking.IMAGES else []
        answer = await checking.ask_person(
            state["pending_question"], checking.FORMS[about], asked, job_of(state), library
        )
        if not checking.is_understood(about, answer):
            return {"status": "waiting"}
        words = answer.text.strip()
        answered: Update = {"pending_question": "", "question_about": "", "pending_call": "", "status": "processing"}
        match about:
            case "images":
                return {**answered, **_with_images(state, _session(state, runtime), missing, answer)}
            case "steps" if answer_form(words) == checking.GO_ON:
                more = state["extra_steps"] + self._steps(state)
                return {**answered, "extra_steps": more, "steps_seen": [], "stalled": 0}
            case "steps":
                return {**answered, **_ended_at_bound(state)}
            case _:
                return {**answered, "messages": _answer_to_pending_call(state, words) or _person_message(words, {})}

    async def parse_to_json(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        return await self._converted(state, runtime, ExportFormat.JSON, STRUCTURE, "structure_json_path")

    async def convert_docx(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        return await self._converted(state, runtime, ExportFormat.DOCX, DOCX, "output_docx_path")

    async def _converted(
        self, state: DocumentState, runtime: Runtime[RunContext], to: ExportFormat, name: str, path: str
    ) -> Update:
        session = _session(state, runtime)
        await ensure_draft(state, runtime.context, session)
        try:
            session.put(name, checking.ask_converter(session, to))
        except AgentFailure as failure:
            return {**failure_of(failure), "conversion_attempts": state["conversion_attempts"] + 1}
        return {"manifest": session.manifest, path: name, "status": "converting"}

    async def error_handler(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        """Goes back to the last checkpoint and tries again, until what there is must do."""
        failure = state["failure"] or {"type": "internal", "detail": "", "retryable": False}
        session, retries = _session(state, runtime), state["retry_count"] + 1
        update: Update = {
            "failure": None,
            "last_error": failure["detail"],
            "error_type": failure["type"],
            "retry_count": retries,
            "fix_attempts": 0,
            "steps_seen": [],
            "stalled": 0,
            "verdict": "",
            "pending_call": "",
            "messages": [ToolMessage("This failed.", tool_call_id=c) for c in unanswered_calls(state["messages"])],
        }
        if retries > self._deps.agent.max_retries or not failure["retryable"]:
            detail = f"{failure['type']}: {failure['detail']}"[:300]
            return {**update, "partial": True, "status": "partial", "warnings": [{"code": "failure", "detail": detail}]}
        last = state["last_checkpoint_id"]
        if session.restore_from_checkpoint(session.session_id, last):
            update |= self._back_at(state, last, state["checkpoint_chapters"])
            words = f"The last step failed ({failure['type']}). The document is as it was at {last}."
        else:
            log.warning(Log.ROLLBACK_SKIPPED, chapter=state["current_chapter"] + 1)
            words = f"The last step failed ({failure['type']}). The document is as it was."
        update["messages"].append(HumanMessage(words))
        return {**update, "manifest": session.manifest, "generation_complete": False, "status": "processing"}

    def _back_at(self, state: DocumentState, checkpoint_id: str, chapters: Mapping[str, int]) -> Update:
        """The progress at a checkpoint. Its label is the model's words, which no log may hold."""
        done = chapters.get(checkpoint_id, state["current_chapter"])
        log.info(Log.ROLLBACK_PERFORMED, chapter=done + 1)
        self._rollback_performed.add(1)
        return _progress(state, done)

    async def evaluate(self, state: DocumentState, runtime: Runtime[RunContext]) -> Update:
        return await delivery(state, self._deps, runtime.context, _session(state, runtime))


def _session(state: DocumentState, runtime: Runtime[RunContext]) -> Session:
    return Session(state["session_id"], job_of(state).document, state["manifest"], runtime.context.library)


def _progress(state: DocumentState, done: int) -> Update:
    chapters, files = state["document_outline"], state["input_files"]
    index = files.index(chapters[done]["file"]) if done < len(chapters) else len(files)
    return {"current_chapter": done, "current_file_index": index}


def _answer_to_pending_call(state: DocumentState, words: str) -> list[AnyMessage]:
    """The answer to the call that the graph paused for, if it was a call."""
    return [ToolMessage(words, tool_call_id=state["pending_call"])] if state["pending_call"] else []


def _ended_at_bound(state: DocumentState) -> Update:
    return {"generation_complete": True, "warnings": [{"code": "step_bound", "count": state["agent_steps"]}]}


def _with_images(state: DocumentState, session: Session, missing: list[MissingReference], answer: NeedAnswer) -> Update:
    """What was decided about images; those that are undecided still are asked about again."""
    found = decided(session, batch_of(missing), answer)
    open_still = [entry for entry in missing if entry.reference not in found]
    again = {
        "pending_question": question_about(batch_of(open_still)),
        "question_about": checking.IMAGES,
        "status": "waiting",
    }
    return {
        "manifest": session.manifest,
        "user_decisions": {**state["user_decisions"], **found},
        "missing_references": Change(remove=list(found)),
        "messages": _person_message(answer.text.strip(), found),
        **(again if open_still else {}),
    }


def _person_message(words: str, found: dict[str, str]) -> list[AnyMessage]:
    """What the person said and decided, for the agent's next step."""
    decisions = [
        f"{quoted(name)} is {'left out' if how == SKIP else f'shown as {quoted(how)}'}." for name, how in found.items()
    ]
    return [HumanMessage("\n".join(["The person answered:", *filter(None, [words]), *decisions]))]


def in_session(node: Node) -> Node:
    """The same node; its log lines carry the session, and its state has every field."""

    @wraps(node)
    async def run(state: DocumentState, *args: Any, **kwargs: Any) -> Any:
        with bind(session_id=state["session_id"]):
            return await node(with_all_fields(state), *args, **kwargs)

    return run


def build_document_agent(deps: GraphDeps, meter: Meter | None = None) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not compiled; it pauses for the validator, the converter and a person."""
    nodes = DocumentNodes(deps, meter or metrics.get_meter(__name__))
    graph = StateGraph(DocumentState, context_schema=RunContext)
    working = (nodes.scan_assets, nodes.agent, nodes.tools, nodes.validate_md, nodes.checkpoint)
    for node in (*working, nodes.human_input, nodes.parse_to_json, nodes.convert_docx):
        graph.add_node(node.__name__, in_session(noted(guarded(node))))
    for node in (nodes.error_handler, nodes.evaluate):
        graph.add_node(node.__name__, in_session(noted(node)))
    graph.add_edge(START, "scan_assets")
    for name in graph.nodes:
        graph.add_conditional_edges(name, router(name), targets_of(name))
    return graph


MAX_TEXT_BYTES = 2 * 1024 * 1024


def open_session(job: GenerateSection) -> DocumentState:
    """The state that a job starts with: inputs are in the session by reference, but for those of the buyer.

    Raises `InputsRefused`.
    """
    own = tuple(file for file in job.inputs if words_of(file) != REQUEST)
    texts = [file.name for file in own if file.artifact.media_type in READABLE]
    if not texts:
        raise InputsRefused("there is no text among the inputs that are ours: give it with the role evidence")
    for file in own:
        _check(file)
    state = build_initial_state(job.thread_id, texts)
    return {**state, "job": job.model_dump(mode="json"), "manifest": new_manifest(own)}


def _check(file: InputFile) -> None:
    kind, size = file.artifact.media_type, file.artifact.size
    limit = MAX_IMAGE_BYTES if is_image(kind) else MAX_TEXT_BYTES if kind in READABLE else None
    if limit is not None and size > limit:
        raise InputsRefused(f"an input of the kind {kind} has {size} bytes; at most {limit} are taken")
