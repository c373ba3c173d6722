"""The nodes of the section graph: state in, partial update out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from langgraph.types import Command
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.references import ArtifactRef
from stemma_models.prompting import block

from stemma_generation_graph.configuration import PLAIN, Kind
from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.calling import run_tool_calls
from stemma_generation_graph.graphs.transitions import in_one_step, noted
from stemma_generation_graph.writing.drafts import OPENS_WITH, as_draft
from stemma_generation_graph.writing.evaluating import evaluate_draft, prompt_values
from stemma_generation_graph.writing.material import language_of, load_material, round_blocks

from .forms import answers_structure, fields_to_answer, form_block, rendered
from .rendering import SCHEMAS, render


class SectionState(TypedDict):
    """``job`` is given; everything else starts empty.

    ``messages`` are written by ``load_context``, ``generate`` and ``tools``; each other field by one node:
    ``material_at`` by ``load_context``, ``draft`` and ``draft_artifact`` by ``generate``, ``tool_rounds`` by
    ``tools``, ``evaluation`` and ``material`` by ``evaluate``. Until then the material is held once, as a part of what
    the model is asked: see `material_of`.
    """

    job: GenerateSection
    messages: Annotated[list[AnyMessage], add_messages]
    material: str
    material_at: tuple[int, ...]
    tool_rounds: int
    draft: str
    draft_artifact: dict[str, Any] | None
    evaluation: dict[str, Any] | None


def initial_state(job: GenerateSection) -> SectionState:
    return SectionState(
        job=job,
        messages=[],
        material="",
        material_at=(),
        tool_rounds=0,
        draft="",
        draft_artifact=None,
        evaluation=None,
    )


def material_of(state: SectionState) -> str:
    question = next(message for message in state["messages"] if isinstance(message, HumanMessage))
    return str(question.content)[slice(*state["material_at"])]


GRAPH = "section"
Update = dict[str, Any]
After = Literal["tools", "evaluate"]


class SectionNodes:
    def __init__(self, deps: GraphDeps) -> None:
        self._deps = deps

    async def load_context(self, state: SectionState, runtime: Runtime[RunContext]) -> Update:
        job, library = state["job"], runtime.context.library
        material = await load_material(job, library, self._deps.limits)
        task = block("task", "section")
        asked = [task, material, *await round_blocks(job, library)]
        if form := job.section.form:
            asked.append(form_block(await fields_to_answer(job, form, library)))
        system = SystemMessage(self._prompt(job, "generate"))
        begins = len(task) + 1
        place = (begins, begins + len(material))
        return {"material_at": place, "messages": [system, HumanMessage("\n".join(asked))]}

    async def generate(self, state: SectionState, runtime: Runtime[RunContext]) -> Command[After]:
        """Lets the model search if its kind has tools, then has it write the section.

        A draft goes to its evaluation, tool calls are run first.
        """
        job, run = state["job"], runtime.context
        kind = self._deps.kinds.get(job.section.kind, PLAIN)
        if kind.tools and state["tool_rounds"] < kind.tool_rounds:
            tools = [self._deps.tools[name].arguments for name in kind.tools]
            caller = self._deps.models.for_node(job.section.graph, "generate")
            asked = await caller.message(run.call, f"search-{state['tool_rounds']}", state["messages"], tools)
            if asked.value.tool_calls:
                return Command(update={"messages": [asked.value]}, goto="tools")
        draft, answer = await self._write(job, state["messages"], run)
        name = f"{job.section.section_id}.md"
        ref = answer or await run.library.store(job.document, draft.encode(), "text/markdown", name)
        return Command(update={"draft": draft, "draft_artifact": ref.model_dump(mode="json")}, goto="evaluate")

    async def tools(self, state: SectionState, runtime: Runtime[RunContext]) -> Update:
        job = state["job"]
        corpus = await runtime.context.library.corpus(job.document, job.inputs)
        allowed = {name: self._deps.tools[name] for name in self._deps.kinds[job.section.kind].tools}
        last = state["messages"][-1]
        calls = last.tool_calls if isinstance(last, AIMessage) else []
        return {"messages": await run_tool_calls(calls, allowed, corpus), "tool_rounds": state["tool_rounds"] + 1}

    async def evaluate(self, state: SectionState, runtime: Runtime[RunContext]) -> Update:
        """Has the draft scored; the verdict is computed here, never taken from the model."""
        found = await evaluate_draft(self._deps, runtime.context, state["job"], material_of(state), state["draft"])
        return {"evaluation": found, "material": material_of(state)}

    async def _write(
        self, job: GenerateSection, messages: Sequence[BaseMessage], run: RunContext
    ) -> tuple[str, ArtifactRef | None]:
        """The draft, and its artifact if the model's answer is the draft to the byte."""
        caller = self._deps.models.for_node(job.section.graph, "generate")
        kind = self._deps.kinds.get(job.section.kind, PLAIN)
        if kind.schema_name is None and kind.structure is None and job.section.form is None:
            asked = without_tools(messages)
            answer = await caller.text(run.call, "generate", asked, on_token=run.live, opens_with=OPENS_WITH)
            draft = as_draft(job.section.title, answer.value)
            return draft, answer.ref if draft == answer.value else None
        draft = as_draft(job.section.title, await self._filled_in(kind, job, messages, run))
        await run.show(draft)
        return draft, None

    async def _filled_in(
        self, kind: Kind, job: GenerateSection, messages: Sequence[BaseMessage], run: RunContext
    ) -> str:
        """What the model fills in, a schema of ours or a structure of its document kind, as Markdown."""
        ask = partial(self._deps.models.for_node(job.section.graph, "generate").structured, run.call, "generate")
        asked, language = without_tools(messages), language_of(job)
        if form := job.section.form:
            fields = await fields_to_answer(job, form, run.library)
            answers = await ask(asked, answers_structure(fields).model)
            return rendered(fields, answers.value.root, job.section.title)
        if kind.structure is not None:
            structure = self._deps.structures[kind.structure]
            return structure.rendered((await ask(asked, structure.model)).value.root, language)
        assert kind.schema_name is not None
        return render((await ask(asked, SCHEMAS[kind.schema_name])).value, language)

    def _prompt(self, job: GenerateSection, node: str) -> str:
        prompt = self._deps.prompts.get(GRAPH, node, job.section.kind)
        return prompt.render(prompt_values(job))


def without_tools(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The thread with tool results as plain material: not every provider takes tool messages without tools."""
    plain: list[BaseMessage] = [message for message in messages if isinstance(message, SystemMessage | HumanMessage)]
    found = [str(message.text) for message in messages if isinstance(message, ToolMessage)]
    return [*plain, HumanMessage("\n".join(["The searches found this:", *found]))] if found else plain


def build_section_graph(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
    nodes = SectionNodes(deps)
    graph = StateGraph(SectionState, context_schema=RunContext)
    load_context, generate = noted(nodes.load_context), noted(nodes.generate)
    graph.add_node("load_context", in_one_step(load_context, generate))
    graph.add_node("generate", generate)
    graph.add_node("tools", noted(nodes.tools))
    graph.add_node("evaluate", noted(nodes.evaluate))
    graph.add_edge(START, "load_context")
    graph.add_edge("tools", "generate")
    graph.add_edge("evaluate", END)
    return graph
