"""Drives the document agent through its pauses: a validator, a converter and a person that answer from scripts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from generation_workshop import HEAD, Workshop, deps_of, evaluation, recipe_of
from langchain_core.language_models import BaseChatModel, ModelProfile
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from stemma_contracts.v1.jobs import GenerateSection, ResumeGraph
from stemma_contracts.v1.needs import Need, NeedAnswer
from stemma_contracts.v1.outcomes import GraphPaused, SectionGenerated
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport
from stemma_generation_graph.deps import Models
from stemma_generation_graph.graphs.registry import DOCUMENT_AGENT, Graph
from stemma_generation_graph.handlers import Tools, on_generate_section, on_resume_graph
from stemma_generation_graph.runner import Runner
from stemma_generation_graph.settings import AgentLimits
from stemma_generation_graph.sources import Library
from stemma_models import ModelCaller
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.working import ANY_KIND

ONE_FILE = {"site.md": "# Site\n\nThe quay is 40 m long.\n"}
Answer = str | NeedAnswer


def message(*calls: tuple[str, Mapping[str, Any]], text: str = "") -> AIMessage:
    """A message that calls tools."""
    made = [ToolCall(name=n, args=dict(a), id=f"{n}-{i}", type="tool_call") for i, (n, a) in enumerate(calls)]
    return AIMessage(text, tool_calls=made)


def call(name: str, **arguments: Any) -> AIMessage:
    """A message that calls one tool."""
    return message((name, arguments))


def append(text: str) -> AIMessage:
    """A message that writes."""
    return call("append_to_markdown", content=text)


def leave_all(messages: Sequence[BaseMessage]) -> AIMessage:
    """A message that leaves out every file that the agent is shown."""
    files = dict.fromkeys(re.findall(r'<entry [^>]*file="([^"]+)"', str(messages[-1].content)))
    return message(*(("leave_out", {"file": name, "heading": "", "reason": "Not asked for."}) for name in files))


SAVE = call("create_checkpoint", label="the quay")
FINISH = call("finish")
EDIT = call("edit_markdown_line", line_number=5, new_content="The quay is 40 m long. It is made of stone.")
EDIT_AGAIN = call("edit_markdown_line", line_number=5, new_content="The quay is 40 m long.")
CHAPTER = "# Document\n\n## Site\n\nThe quay is 40 m long."
SCORES = evaluation("agentic")
WHOLE = [call("list_files"), call("read_file", file_name="site.md"), append(CHAPTER), SAVE, FINISH, SCORES]


def issues(*lines: int) -> ValidationReport:
    """What the validator says of a draft: nothing, or an issue for each line."""
    found = [
        ValidationIssue(line_number=n, rule="MD022", rule_description="Blank lines", message="Blank lines")
        for n in lines
    ]
    return ValidationReport(validation_passed=not lines, issues=tuple(found), engine="test", engine_version="1")


CLEAN = issues()


class Broken(Exception):
    """What a provider of models may raise."""

    status_code = 400


def _token_ids(text: str) -> list[int]:
    return [0] * (len(text) // 4)


@dataclass
class Agency:
    """The handlers with a checkpointer, and those who answer the needs of a run."""

    workshop: Workshop = field(default_factory=Workshop)
    checkpointer: BaseCheckpointSaver[Any] = field(default_factory=InMemorySaver)
    limits: AgentLimits = field(default_factory=AgentLimits)
    graph: Graph = DOCUMENT_AGENT
    reports: list[ValidationReport | str] = field(default_factory=list)
    conversions: list[str | None] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    needs: list[Need] = field(default_factory=list)
    validated: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    done: list[tuple[GenerateSection | ResumeGraph, Any]] = field(default_factory=list)
    """Jobs with their outcomes."""

    async def job(self, files: Mapping[str, str | bytes] = ONE_FILE) -> GenerateSection:
        plan = SectionPlan(section_id="document", title="Document", kind="agentic", graph="document_agent")
        return await self.workshop.job("agentic", files=files, section=plan)

    def tools(self, model: BaseChatModel) -> Tools:
        models = Models(ModelCaller(model, recipe_of(model), self.workshop.records, self.workshop.artifacts))
        deps = replace(deps_of(models), agent=self.limits)
        runner = Runner({"document_agent": self.graph}, deps, self.checkpointer)
        return Tools(runner, deps, Library(self.workshop.artifacts), self.workshop.publish, ANY_KIND)

    async def run(
        self, script: Sequence[Any], files: Mapping[str, str | bytes] = ONE_FILE, holds: int | None = None
    ) -> SectionGenerated:
        """The outcome of a run in which a scripted model works, which holds so many tokens."""
        profile = ModelProfile(max_input_tokens=holds) if holds else None
        model = ScriptedModel(script=list(script), profile=profile, custom_get_token_ids=_token_ids)
        outcome = await self.drive(await self.job(files), model)
        assert model.calls == len(script), f"{model.calls} of {len(script)} calls were made"
        self.model = model
        return outcome

    async def drive(self, job: GenerateSection, model: BaseChatModel) -> SectionGenerated:
        """Answer need after need until the run has its result."""
        tools = self.tools(model)
        outcome: Any = await on_generate_section(job, tools=tools)
        self.done.append((job, outcome))
        while isinstance(outcome, GraphPaused):
            self.needs.append(outcome.need)
            resume = await self.resumption(job, outcome)
            outcome = await on_resume_graph(resume, tools=tools)
            self.done.append((resume, outcome))
        assert isinstance(outcome, SectionGenerated)
        last = await self.checkpointer.aget_tuple({"configurable": {"thread_id": job.thread_id}})
        assert last is not None
        self.state = last.checkpoint["channel_values"]
        return outcome

    async def resumption(self, job: GenerateSection, paused: GraphPaused) -> ResumeGraph:
        meet = {"validation": self.report, "conversion": self.convert, "question": self.say}[paused.need.kind]
        answer, detail = await meet(paused.need)
        return ResumeGraph(
            job_id=f"doc.{len(self.needs) + 1}.resume.document",
            document=HEAD,
            section=job.section,
            thread_id=paused.thread_id,
            checkpoint_id=paused.need.checkpoint_id,
            answer=answer,
            failed=bool(detail),
            detail=detail,
        )

    async def report(self, need: Need) -> tuple[ArtifactRef, str]:
        assert need.draft is not None
        self.validated.append(await self.workshop.read(need.draft))
        said = self.reports.pop(0) if self.reports else CLEAN
        if isinstance(said, str):
            return need.draft, said
        return await self.workshop.store(said.model_dump_json(), "report.json", "application/json"), ""

    async def convert(self, need: Need) -> tuple[ArtifactRef, str]:
        assert need.draft is not None
        failed = self.conversions.pop(0) if self.conversions else None
        if failed:
            return need.draft, failed
        return await self.workshop.store(f"{need.format} of {need.draft.digest}", "converted.bin", "text/plain"), ""

    async def say(self, need: Need) -> tuple[ArtifactRef, str]:
        assert need.question is not None
        self.questions.append(await self.workshop.read(need.question))
        said = self.answers.pop(0)
        if isinstance(said, str):
            return await self.workshop.store(said, "answer.txt", "text/plain"), ""
        return await self.workshop.store(said.model_dump_json(), "answer.json", "application/json"), ""
