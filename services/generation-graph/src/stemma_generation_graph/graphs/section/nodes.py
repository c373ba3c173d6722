"""The section graph and its nodes: state in, partial update out; and answers to the fields of a form."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from langgraph.types import Command
from pydantic import BaseModel
from stemma_contracts.media import READ
from stemma_contracts.v1.forms import AnsweredForm, FormField, FormFields
from stemma_contracts.v1.jobs import GenerateSection
from stemma_forms import Field, Limit, Unit, as_markdown
from stemma_forms import Kind as FieldKind
from stemma_forms.answering import Text, find_answers, held_by
from stemma_models import Answer, MalformedAnswerError, ModelCaller, Prompt
from stemma_models.prompting import block, parse_blocks

from stemma_generation_graph.configuration import PLAIN, Kind
from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.evaluating import evaluate_draft, not_judged
from stemma_generation_graph.graphs.transitions import empty_state, noted
from stemma_generation_graph.sources import Library
from stemma_generation_graph.tools import SearchInputs, run_tool_calls
from stemma_generation_graph.writing import (
    OPENS_WITH,
    OWN,
    as_draft,
    asked,
    clean_heading,
    in_another_language,
    language_of,
    load_material,
    prompt_values,
    round_blocks,
    unfit,
    without_headings,
)

from .rendering import SCHEMAS, Structure, render

_PATTERNS = {
    FieldKind.DATE: r"^(\d{4}-\d{2}-\d{2})?$",
    FieldKind.NUMBER: r"^([+-]?\d+(\.\d+)?)?$",
    FieldKind.CHECKBOX: "^(yes|no)?$",
}


async def fields_to_answer(job: GenerateSection, form: AnsweredForm, library: Library) -> tuple[Field, ...]:
    told = FormFields.model_validate_json(await library.text(job.document, form.fields))
    return tuple(_field(field) for field in told.fields if field.field_id not in form.dropped)


def only_own(job: GenerateSection) -> GenerateSection:
    """The job with nothing in it but what the bidder states: no word of the buyer answers a field."""
    own = tuple(file for file in job.inputs if file.role == "evidence")
    return job.model_copy(update={"inputs": own, "upstream": (), "manner": (), "ledger": None, "internal": ()})


async def texts_of(job: GenerateSection, library: Library) -> list[Text]:
    """What answers may come from: evidence, rate sheets, and what a person said of this section."""
    own = [file for file in only_own(job).inputs if file.artifact.media_type in READ]
    said = [ref for ref in (job.guidance, job.revision_feedback) if ref is not None]
    files = await asyncio.gather(*(library.text(job.document, file.artifact) for file in own))
    words = await asyncio.gather(*(library.text(job.document, ref) for ref in said))
    texts = [Text(file.name, text, price=file.price) for file, text in zip(own, files, strict=True)]
    return texts + [Text("", text, said=True) for text in words]


def answers_structure(fields: Sequence[Field]) -> Structure:
    """What a model fills in: an answer for each field, none for what the material does not say."""
    properties = {field.id: _schema(field) for field in fields}
    return Structure("FormAnswers", {"type": "object", "properties": properties, "additionalProperties": False})


def form_block(fields: Sequence[Field]) -> str:
    return block("form", [block("field", _asked(field), id=field.id) for field in fields])


def rendered(fields: Sequence[Field], answers: Mapping[str, str], title: str) -> str:
    """A heading for each field, with the answer below it if there is one."""
    shown = [
        replace(field, question=clean_heading(field.question or field.place), group=field.group or title)
        for field in fields
    ]
    return as_markdown(shown, {name: without_headings(answer) for name, answer in answers.items()})


def _schema(field: Field) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "default": "", "description": f"the answer to: {_asked(field)}"}
    if field.kind is FieldKind.CHOICE:
        return {**schema, "enum": ["", *field.allowed]}
    return {**schema, "pattern": _PATTERNS[field.kind]} if field.kind in _PATTERNS else schema


def _asked(field: Field) -> str:
    """A question with how long its answer may be, and what else is told of it."""
    limit = f" (at most {field.limit.most} {field.limit.unit.value})" if field.limit else ""
    offered = ", ".join(field.allowed or field.suggested)
    return " ".join(f"{field.question or field.place}{limit}{f'; one of: {offered}' if offered else ''}".split())


def _field(told: FormField) -> Field:
    return Field(
        id=told.field_id,
        place=told.place,
        group=told.group,
        question=told.question,
        kind=FieldKind(told.kind),
        allowed=told.allowed,
        suggested=told.suggested,
        limit=Limit(told.most, Unit(told.unit)) if told.most else None,
        column=told.column,
        row=tuple((cell.head, cell.text) for cell in told.row),
    )


class SectionState(TypedDict):
    """``job`` is given; everything else starts empty.

    ``messages`` are written by ``load_context``, ``generate`` and ``tools``; each other field by one node:
    ``material`` by ``load_context``, ``draft`` and ``draft_artifact`` by ``generate``, ``tool_rounds`` by ``tools``,
    ``evaluation`` by ``evaluate``, or by ``generate`` where no model wrote the draft. A draft with a shortcoming that
    its model did not mend is ``partial``, with ``warnings`` by ``generate``.
    """

    job: GenerateSection
    messages: Annotated[list[AnyMessage], add_messages]
    material: str
    tool_rounds: int
    draft: str
    draft_artifact: dict[str, Any] | None
    evaluation: dict[str, Any] | None
    partial: bool
    warnings: list[dict[str, Any]]


def initial_state(job: GenerateSection) -> SectionState:
    return empty_state(SectionState, job=job)


GRAPH = "section"
Update = dict[str, Any]
After = Literal["tools", "evaluate", "__end__"]


class SectionNodes:
    def __init__(self, deps: GraphDeps) -> None:
        self._deps = deps

    async def load_context(self, state: SectionState, runtime: Runtime[RunContext]) -> Update:
        job, library = state["job"], runtime.context.library
        given = only_own(job) if job.section.form else job
        ctx = runtime.context.call
        material = await load_material(given, library, self._deps.limits, self._deps.kinds, ctx)
        blocks = [material, block("task", "section"), *await round_blocks(job, library)]
        kind = self._deps.kinds.get(job.section.kind, PLAIN)
        also = ("tools",) if self._tools_of_use(kind, material) else ()
        if form := job.section.form:
            blocks.append(form_block(await fields_to_answer(job, form, library)))
        return {"material": material, "messages": asked(self._prompt(job), prompt_values(job), blocks, also=also)}

    async def generate(self, state: SectionState, runtime: Runtime[RunContext]) -> Command[After]:
        """Lets the model search if its kind has tools, then has it write the section.

        A draft goes to its evaluation, tool calls are run first.
        """
        job, run = state["job"], runtime.context
        kind = self._deps.kinds.get(job.section.kind, PLAIN)
        may_search = kind.tools and state["tool_rounds"] < kind.tool_rounds and not job.quote_only
        tools = self._tools_of_use(kind, state["material"]) if may_search else []
        unsearched = list[dict[str, Any]]()
        if tools:
            caller = self._deps.models.for_node(job.section.graph, "generate")
            try:
                asked = await caller.message(run.call, f"search-{state['tool_rounds']}", state["messages"], tools)
            except MalformedAnswerError as error:
                # A search is a help: what stands in the prompt is there without it.
                unsearched = [_warning(f"the model did not search the inputs: {error.detail}")]
            else:
                if asked.value.tool_calls:
                    return Command(update={"messages": [asked.value]}, goto="tools")
        try:
            draft, answer = await self._write(self._deps.models.writer(job), job, state["messages"], run)
            instead = too_much_said(job, QUOTED_INSTEAD) if job.quote_only else ""
        except MalformedAnswerError as error:
            draft, answer, instead = await self._in_its_place(job, state["messages"], run, error)
        name, whole = f"{job.section.section_id}.md", answer.ref if answer and draft == answer.value else None
        ref = whole or await run.library.store(job.document, draft.encode(), "text/markdown", name)
        update = {"draft": draft, "draft_artifact": ref.model_dump(mode="json")}
        if instead:
            return Command(update=update | lacking(instead) | {"evaluation": not_judged([], instead)}, goto="__end__")
        lacks = lacking(answer.shortcoming if answer else "")
        return Command(update=update | lacks | {"warnings": unsearched + lacks["warnings"]}, goto="evaluate")

    async def _in_its_place(
        self, job: GenerateSection, messages: Sequence[BaseMessage], run: RunContext, error: MalformedAnswerError
    ) -> tuple[str, Answer[str] | None, str]:
        """What a person gets where no answer of the model can be used: the last text, else passages of the inputs."""
        why = f"no answer of the model can be used ({error.detail}): "
        if job.previous is not None:
            return await run.library.text(job.document, job.previous), None, f"{why}the last text stays"
        if self._deps.models.quoting is None:
            raise error
        return *await self._write(self._deps.models.quoting, job, messages, run), why + QUOTED_INSTEAD

    def _tools_of_use(self, kind: Kind, material: str) -> list[type[BaseModel]]:
        """The tools of a kind; no search of inputs that stand in the prompt as a whole."""
        is_whole = all(one.tag != "left_out" for one in parse_blocks(material))
        tools = (self._deps.tools[name].arguments for name in kind.tools)
        return [one for one in tools if not (is_whole and one is SearchInputs)]

    async def tools(self, state: SectionState, runtime: Runtime[RunContext]) -> Update:
        job = state["job"]
        corpus = await runtime.context.library.corpus(job.document, job.inputs)
        allowed = {name: self._deps.tools[name] for name in self._deps.kinds[job.section.kind].tools}
        last = state["messages"][-1]
        calls = last.tool_calls if isinstance(last, AIMessage) else []
        return {"messages": await run_tool_calls(calls, allowed, corpus), "tool_rounds": state["tool_rounds"] + 1}

    async def evaluate(self, state: SectionState, runtime: Runtime[RunContext]) -> Update:
        """Has the draft scored; the verdict is computed here, never taken from the model."""
        found = await evaluate_draft(self._deps, runtime.context, state["job"], state["material"], state["draft"])
        return {"evaluation": found}

    async def _write(
        self, caller: ModelCaller, job: GenerateSection, messages: Sequence[BaseMessage], run: RunContext
    ) -> tuple[str, Answer[str] | None]:
        """The draft, and the answer in words that it was made of."""
        kind = self._deps.kinds.get(job.section.kind, PLAIN)
        if kind.schema_name is None and kind.structure is None and job.section.form is None:
            answer = await caller.text(
                run.call,
                "generate",
                without_tools(messages),
                on_token=run.live,
                opens_with=OPENS_WITH,
                max_tokens=self._deps.answers.of_section(job.section.max_words or self._prompt(job).usual_words),
                problem=partial(unfit if caller.judges else in_another_language, job),
            )
            return as_draft(job.section.title, answer.value), answer
        draft = as_draft(job.section.title, await self._filled_in(caller, kind, job, messages, run))
        await run.show(draft)
        return draft, None

    async def _filled_in(
        self, caller: ModelCaller, kind: Kind, job: GenerateSection, messages: Sequence[BaseMessage], run: RunContext
    ) -> str:
        """What the model fills in, a schema of ours or a structure of its document kind, as Markdown."""
        ask = partial(caller.structured, run.call, "generate")
        thread, language = without_tools(messages), language_of(job)
        if form := job.section.form:
            fields = await fields_to_answer(job, form, run.library)
            texts = await texts_of(job, run.library)
            known = await asyncio.to_thread(find_answers, fields, texts)
            left = [field for field in fields if field.id not in known.found]
            told = (await ask(thread, answers_structure(left).model)).value.root if left else {}
            answers = {**known.too_long, **held_by(left, told, texts), **known.found}
            return rendered(fields, answers, job.section.title)
        if kind.structure is not None:
            structure = self._deps.structures[kind.structure]
            return structure.rendered((await ask(thread, structure.model)).value.root, language)
        assert kind.schema_name is not None
        names = [one.attributes["name"] for one in parse_blocks(str(messages[-1].text)) if one.tag in OWN and one.text]
        closed = {"sources": list(dict.fromkeys(names))}
        return render((await ask(thread, SCHEMAS[kind.schema_name], closed=closed)).value, language)

    def _prompt(self, job: GenerateSection) -> Prompt:
        return self._deps.prompts.get(GRAPH, "generate", job.section.kind)


QUOTED_INSTEAD = "passages of the inputs stand in its place; edit them, or ask for a text of a stronger model"


def too_much_said(job: GenerateSection, instead: str) -> str:
    most = job.section.max_unsupported
    return f"the model's text had more than {most} claims and sentences without support: {instead}"


def lacking(shortcoming: str) -> Update:
    """What a draft lacks: a person looks at it, whatever the policy says."""
    if not shortcoming:
        return {"partial": False, "warnings": []}
    return {"partial": True, "warnings": [_warning(shortcoming)]}


def _warning(detail: str) -> dict[str, Any]:
    return {"code": "failure", "detail": detail[:300]}


def without_tools(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The thread with tool results as plain material: not every provider takes tool messages without tools."""
    plain: list[BaseMessage] = [message for message in messages if isinstance(message, SystemMessage | HumanMessage)]
    found = [str(message.text) for message in messages if isinstance(message, ToolMessage)]
    return [*plain, HumanMessage("\n".join(["The searches found this:", *found]))] if found else plain


def build_section_graph(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
    nodes = SectionNodes(deps)
    graph = StateGraph(SectionState, context_schema=RunContext)
    for node in (nodes.load_context, nodes.generate, nodes.tools, nodes.evaluate):
        graph.add_node(node.__name__, noted(node))
    graph.add_edge(START, "load_context")
    graph.add_edge("load_context", "generate")
    graph.add_edge("tools", "generate")
    graph.add_edge("evaluate", END)
    return graph
