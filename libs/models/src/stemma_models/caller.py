"""Model calls: recorded before they are used, retried when the provider stumbles, asked again when malformed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from math import ceil
from typing import Any, Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from opentelemetry.trace import Span, SpanKind
from pydantic import BaseModel
from stemma_artifacts.store import ArtifactMissing, ArtifactStore, reference
from stemma_contracts.complaints import AGAIN, AS_JSON, UNUSABLE
from stemma_contracts.v1.jobs import Job, ModelJob, ProposeRequirements, SectionJob
from stemma_contracts.v1.outcomes import AnswerMalformed, ContextTooLong, ModelUnavailable
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.usage import Usage
from stemma_telemetry import captures_messages, get_logger, span
from stemma_telemetry.metrics import counter, histogram
from stemma_telemetry.names import Attr, Metric
from stemma_telemetry.names import Span as SpanName

from . import checks
from .client import THINKING, Meter, ModelClient, TokenSink, joined
from .errors import ContextTooLongError, MalformedAnswerError, ModelError, ModelUnavailableError
from .pace import Clock
from .providers import continues, provider
from .records import Record, Recordings, RecordStore, Replay, Reply, Request
from .schemas import Closed, response_format
from .settings import ModelSettings

_tokens = histogram(Metric.TOKEN_USAGE)
_duration = histogram(Metric.MODEL_DURATION)
_cost = counter(Metric.MODEL_COST)


@contextmanager
def model_span(operation: SpanName, model: str, ctx: CallContext) -> Iterator[Callable[..., None]]:
    """A CLIENT span around a call with all its attempts, by the GenAI conventions and without content.

    What it gives is told what the call cost before it ends.
    """
    called: dict[str, str] = {
        Attr.GEN_AI_OPERATION: operation.value,
        Attr.GEN_AI_PROVIDER: model.partition("/")[0],
        Attr.GEN_AI_MODEL: model,
    }
    place: dict[str, str] = {
        Attr.GEN_AI_CONVERSATION: ctx.document_id,
        Attr.DOCUMENT: ctx.document_id,
        Attr.SECTION: ctx.section_id,
    }
    labels, failed = {**called, Attr.TENANT: ctx.tenant}, dict[str, str]()
    started = time.perf_counter()
    with span(f"{operation} {model}", kind=SpanKind.CLIENT, attributes={**called, **place}) as asking:
        try:
            yield partial(_answered, asking, labels)
        except BaseException as error:
            failed[Attr.ERROR_TYPE] = type(error).__name__
            raise
        finally:
            _duration.record(time.perf_counter() - started, {**labels, **failed})


def _answered(
    asking: Span,
    labels: Mapping[str, str],
    usage: Usage,
    asked: Sequence[BaseMessage] = (),
    answer: AIMessage | None = None,
) -> None:
    """Vectors are no message, and cost what is read."""
    told = [(Attr.GEN_AI_INPUT_TOKENS, "input", usage.input_tokens)]
    if answer is not None:
        told.append((Attr.GEN_AI_OUTPUT_TOKENS, "output", usage.output_tokens))
    for key, kind, tokens in told:
        asking.set_attribute(key, tokens)
        _tokens.record(tokens, {**labels, Attr.GEN_AI_TOKEN_TYPE: kind})
    _cost.add(usage.cost, labels)
    if answer is not None and captures_messages():
        reason = str(answer.response_metadata.get("finish_reason") or "stop")
        asking.set_attribute(Attr.GEN_AI_INPUT_MESSAGES, json.dumps([_as_told(message) for message in asked]))
        asking.set_attribute(Attr.GEN_AI_OUTPUT_MESSAGES, json.dumps([{**_as_told(answer), "finish_reason": reason}]))


_ROLES = {"human": "user", "ai": "assistant"}


def _as_told(message: BaseMessage) -> dict[str, Any]:
    """A message as the conventions have it."""
    text = str(message.text)
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text else []
    if isinstance(message, ToolMessage):
        parts = [{"type": "tool_call_response", "id": message.tool_call_id, "response": text}]
    if isinstance(message, AIMessage):
        parts += [
            {"type": "tool_call", "id": call["id"], "name": call["name"], "arguments": call["args"]}
            for call in message.tool_calls
        ]
    return {"role": _ROLES.get(message.type, message.type), "parts": parts}


T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

RE_ASKS = 1
EXCERPT_CHARS = 1500
"""Of an answer that a model is shown again: one that went wrong at length would go wrong in the same way."""
INLINE_BYTES = 1024
MARKDOWN = "text/markdown"

log = get_logger()


@dataclass(frozen=True)
class CallContext:
    """For whom a call is made. ``meter`` adds up what the job spends, also when it fails.

    Its answer is recorded under ``recorded_as``, by default the job; ``recorded_before`` are the names that earlier
    tries of the same work used. ``replay`` is of one run of the job: what the records told of it so far.
    ``clock`` is that of the run, with a time limit around the call; it stands still while calls wait for their turn.
    """

    tenant: str
    document_id: str
    section_id: str
    job_id: str
    thread_id: str = ""
    recorded_as: str = ""
    recorded_before: tuple[str, ...] = ()
    meter: Meter = field(default_factory=Meter, compare=False)
    replay: Replay = field(default_factory=Replay, compare=False)
    clock: Clock = field(default_factory=Clock, compare=False)


@dataclass(frozen=True)
class Answer(Generic[T]):
    """An answer: a text, a value of a schema, or a message of the thread. ``ref`` is the artifact of a long one.

    ``shortcoming`` is what is wrong with a text that is kept because no other was better.
    """

    value: T
    usage: Usage
    ref: ArtifactRef | None
    shortcoming: str = ""


def _no_problem(_text: str) -> str:
    return ""


@dataclass(frozen=True)
class _Call:
    ctx: CallContext
    name: str
    request: Request
    meter: Meter
    on_token: TokenSink | None = None
    opens_with: tuple[str, ...] = ()
    begun: str = ""
    """What the last answer said, where it is gone on with."""


class ModelCaller:
    """Calls one model. A call that was answered before, in the same job, is answered from its record.

    ``name`` tells the calls of a job apart; the same job must give the same name to the same call when it
    runs again, and wait for its first call before it makes others. Every method raises `ModelUnavailableError`,
    `ContextTooLongError` and `MalformedAnswerError`.
    """

    def __init__(
        self, model: BaseChatModel, settings: ModelSettings, records: RecordStore, artifacts: ArtifactStore
    ) -> None:
        self.settings = settings
        self._parameters = settings.parameters
        self._client = ModelClient(model, settings)
        self._records = records
        self._artifacts = artifacts
        self._recordings = Recordings(settings.recordings) if settings.recordings else None

    @property
    def judges(self) -> bool:
        """Whether a score of this model is a judgement."""
        return provider(self.settings.name).judges

    @property
    def holds(self) -> int | None:
        """How many tokens the model holds, prompt and answer; None if that is not known."""
        return self._client.holds

    async def slowness(self, calls: int = 1) -> float:
        """By what limits are multiplied that are meant for a provider's model: a slow one needs longer.

        So does a server that is asked more calls at once than it takes at a time.
        """
        pace = await self._client.pace()
        return pace.slowness * ceil(calls / pace.allowed)

    async def text(
        self,
        ctx: CallContext,
        name: str,
        messages: Sequence[BaseMessage],
        *,
        on_token: TokenSink | None = None,
        opens_with: tuple[str, ...] = (),
        max_tokens: int | None = None,
        problem: Callable[[str], str] = _no_problem,
    ) -> Answer[str]:
        """Ask for text. ``on_token`` gets it: nothing on a replay, all again on a retry.

        It gets the text as it comes if it does not return `False` to an empty text when the call begins, else in one
        piece. What does not begin with ``opens_with``, as the model was asked to, may be a thought: it is held back
        until the answer is whole. ``max_tokens`` is what the task needs; ``problem`` says what else is wrong with a
        text. One that is cut, repeats itself or has such a problem after it was asked for again is given as it is,
        with its `Answer.shortcoming`; one that quotes what the model was told is malformed.
        """
        call = self._call(ctx, name, messages, max_tokens=max_tokens)
        call = replace(call, on_token=on_token, opens_with=opens_with)

        def check(reply: Reply) -> str:
            if not self.judges:
                return checks.check_text(reply)
            text = checks.check_words(reply, messages)
            if found := problem(text):
                raise checks.UnusableAnswer(found, [f"{found[0].upper()}{found[1:]}."], text)
            return text

        try:
            return await self._ask(call, check)
        except _Kept as kept:
            return Answer(kept.text, kept.usage, None, kept.detail)

    async def structured(
        self,
        ctx: CallContext,
        name: str,
        messages: Sequence[BaseMessage],
        schema: type[M],
        *,
        context: Mapping[str, Any] | None = None,
        closed: Closed | None = None,
        max_tokens: int | None = None,
    ) -> Answer[M]:
        """Ask for a value of ``schema``; ``context`` is the validation context that its validators read.

        ``closed`` are the keys and values that this task allows, see `schemas`.
        """
        wanted = response_format(schema, closed or {})
        call = self._call(ctx, name, messages, response_format=wanted, max_tokens=max_tokens)
        return await self._ask(call, lambda reply: checks.parse(reply, schema, context))

    async def message(
        self,
        ctx: CallContext,
        name: str,
        messages: Sequence[BaseMessage],
        tools: Sequence[Any] = (),
        *,
        max_tokens: int | None = None,
    ) -> Answer[AIMessage]:
        """Ask for text or tool calls; ``tools`` are anything that LangChain can bind."""
        bound = [convert_to_openai_tool(tool) for tool in tools]
        call = self._call(ctx, name, messages, tools=bound, max_tokens=max_tokens)
        try:
            return await self._ask(call, lambda reply: checks.check_complete(reply).message)
        except _Kept as kept:
            # Half of a message is no step: its tool call would be missing.
            raise MalformedAnswerError(kept.detail, kept.usage) from None

    def _call(
        self,
        ctx: CallContext,
        name: str,
        messages: Sequence[BaseMessage],
        *,
        tools: Sequence[dict[str, Any]] = (),
        response_format: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> _Call:
        most = min(max_tokens or self.settings.max_tokens, self.settings.max_tokens)
        parameters = {**self._parameters, "max_tokens": most}
        request = Request(parameters, tuple(messages), tools, response_format)
        return _Call(ctx, name, request, Meter(ctx.meter))

    async def _ask(self, call: _Call, check: Callable[[Reply], T]) -> Answer[T]:
        """The answer that this job was given before; else that of an earlier try, which was counted there."""
        ctx, name = call.ctx, call.ctx.recorded_as or call.ctx.job_id
        if ctx.recorded_before and await self._record(ctx, _key(call, name, 0)) is None:
            for earlier in ctx.recorded_before:
                with suppress(MalformedAnswerError):
                    if found := await self._checked(call, check, partial(self._recorded_reply, earlier)):
                        return found
        answer = await self._checked(call, check, partial(self._reply, name))
        assert answer is not None
        return answer

    async def _checked(
        self, call: _Call, check: Callable[[Reply], T], replied: Callable[[_Call, int], Awaitable[Reply | None]]
    ) -> Answer[T] | None:
        """The first reply that can be used, each told what was wrong with the one before; nothing without a reply.

        Raises `_Kept` for a text that is of use though something is wrong with it, also if the model fails afterwards.
        """
        first, wrong, complaints = call.request, list[checks.UnusableAnswer](), list[BaseMessage]()
        while _may_ask(wrong):
            try:
                reply = await replied(call, len(wrong))
            except ModelError:
                if not any(one.kept for one in wrong):
                    raise
                break
            if reply is None:
                return None
            try:
                reply = _joined(call.begun, reply)
                checks.check_complaints(reply, complaints)
                return Answer(check(reply), call.meter.total, reply.record.artifact)
            except checks.UnusableAnswer as unusable:
                log.warning("answer_malformed", call=call.name, retry=len(wrong), detail=unusable.detail)
                wrong.append(unusable)
                if isinstance(unusable, checks.CutAnswer) and self._can_go_on(call):
                    call = _gone_on_with(call, reply.text.rstrip())
                    continue
                is_copy = isinstance(unusable, checks.CopiedAnswer)
                before, shown = (first, replace(reply, text="")) if is_copy else (call.request, reply)
                again = _asked_again(before, shown, unusable.problems, self.settings.max_tokens)
                complaints.append(again.messages[-1])
                call = replace(call, request=again, begun="")
        best = next((one for one in reversed(wrong) if one.kept), wrong[-1])
        if best.kept and call.request.response_format is None:
            raise _Kept(best.kept, best.detail, call.meter.total)
        raise MalformedAnswerError(best.detail, call.meter.total)

    def _can_go_on(self, call: _Call) -> bool:
        """Whether the model takes the beginning of its answer: then a text that was cut is not written again."""
        is_text = call.request.response_format is None and not call.request.tools
        return is_text and not call.begun and continues(self.settings.name)

    async def _recorded_reply(self, name: str, call: _Call, retry: int) -> Reply | None:
        record = await self._record(call.ctx, _key(call, name, retry))
        return await self._replay(call.ctx, record) if record else None

    async def _record(self, ctx: CallContext, key: str) -> Record | None:
        return await self._records.get(ctx.tenant, ctx.document_id, key)

    async def _reply(self, name: str, call: _Call, retry: int) -> Reply:
        # Made once: it is the digest of all that the model reads.
        ctx, key = call.ctx, _key(call, name, retry)
        look_up = partial(self._record, ctx, key)
        record = await (look_up() if ctx.recorded_before else ctx.replay.look_up(look_up))
        if record is not None:
            call.meter.count(record.usage)
            if reply := await self._replay(ctx, record):
                return reply
        answered = await self._heard_before(call) or await self._answer(call, record.usage if record else Usage())
        return await self._recorded(ctx, key, answered)

    async def _heard_before(self, call: _Call) -> Reply | None:
        """What an equal request was answered, of whatever document; it counts as if it was made now."""
        if self._recordings is None or (kept := await self._recordings.get(call.request, call.name)) is None:
            return None
        call.meter.count(kept.usage)
        return Reply(kept.model_copy(update={"content": ""}), kept.content)

    async def _replay(self, ctx: CallContext, record: Record) -> Reply | None:
        """A recorded answer; `None` if its text is missing, because who wrote it died before both were stored."""
        if record.artifact is None:
            return Reply(record, record.content)
        try:
            text = await self._artifacts.get(ctx.tenant, ctx.document_id, record.artifact)
        except ArtifactMissing:
            return None
        return Reply(record, text.decode())

    async def _answer(self, call: _Call, paid: Usage) -> Reply:
        """The answer of the model; ``paid`` is what an answer cost that was lost."""
        with model_span(SpanName.CHAT, self.settings.name, call.ctx) as answered:
            message, usage = await self._client.call(
                call.request,
                call.meter,
                call.on_token,
                call.opens_with,
                document_id=call.ctx.document_id,
                clock=call.ctx.clock,
            )
            answered(usage, call.request.messages, message)
        record = Record(
            model=self.settings.name,
            usage=paid.plus(usage),
            finish_reason=str(message.response_metadata.get("finish_reason") or ""),
            refusal=_refusal(message),
            tool_calls=tuple(message.tool_calls),
            invalid_tool_calls=tuple(message.invalid_tool_calls),
            thinking=bool(message.response_metadata.get(THINKING)),
            answered_at=datetime.now(UTC),
        )
        text = str(message.text)
        if self._recordings is not None:
            await self._recordings.put(call.request, call.name, record.model_copy(update={"content": text}))
        return Reply(record, text)

    async def _recorded(self, ctx: CallContext, key: str, reply: Reply) -> Reply:
        """The answer with its record; a long text is an artifact, stored at the same time."""
        data, name = reply.text.encode(), f"{ctx.section_id or 'answer'}.md"
        if len(data) < INLINE_BYTES:
            record = reply.record.model_copy(update={"content": reply.text})
            await self._records.put(ctx.tenant, ctx.document_id, key, record)
            return Reply(record, reply.text)
        ref = reference(data, MARKDOWN, name)
        record = reply.record.model_copy(update={"artifact": ref})
        await asyncio.gather(
            self._artifacts.put(ctx.tenant, ctx.document_id, data, media_type=MARKDOWN, name=name),
            self._records.put(ctx.tenant, ctx.document_id, key, record),
        )
        return Reply(record, reply.text)


def _key(call: _Call, recorded_as: str, retry: int) -> str:
    return call.request.key(recorded_as, call.name, retry)


def _refusal(message: AIMessage) -> str:
    """The words of a refusal, where LangChain's own providers or LiteLLM put them."""
    told = message.additional_kwargs
    return str(told.get("refusal") or (told.get("provider_specific_fields") or {}).get("refusal") or "")


def _may_ask(wrong: Sequence[checks.UnusableAnswer]) -> bool:
    """Whether it is asked (again): once more, too, if only the answer to a complaint was a copy of it."""
    copied = [isinstance(one, checks.CopiedAnswer) for one in wrong]
    return len(wrong) <= RE_ASKS + (copied == [False, True])


class _Kept(Exception):
    """What there is of a text after it was asked for again."""

    def __init__(self, text: str, detail: str, usage: Usage) -> None:
        super().__init__(detail)
        self.text, self.detail, self.usage = text, detail, usage


def _gone_on_with(call: _Call, text: str) -> _Call:
    request = replace(call.request, messages=[*call.request.messages, AIMessage(text)])
    return replace(call, request=request, begun=text, opens_with=())


def _joined(begun: str, reply: Reply) -> Reply:
    whole = joined(begun, reply.text)
    return reply if whole == reply.text else Reply(reply.record.model_copy(update={"artifact": None}), whole)


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT_CHARS else f"{text[:EXCERPT_CHARS]}\n[...]"


def _asked_again(request: Request, reply: Reply, problems: Sequence[str], max_tokens: int) -> Request:
    """The same request, with the beginning of the unusable answer and what is wrong with it.

    One that was cut while it was thinking may be as long as the model's answers are at most.
    """
    complaint = [UNUSABLE, *(f"- {problem}" for problem in problems), AGAIN]
    if request.response_format is not None:
        complaint.append(AS_JSON)
    said = [AIMessage(_excerpt(reply.text))] if reply.text.strip() else []
    parameters = {**request.parameters, "max_tokens": max_tokens} if reply.record.thinking else request.parameters
    messages = [*request.messages, *said, HumanMessage("\n".join(complaint))]
    return replace(request, parameters=parameters, messages=messages)


def call_context(job: Job, thread_id: str = "") -> CallContext:
    """For whom the calls of a job are made."""
    recorded_as, before = (job.recorded_as, job.recorded_before) if isinstance(job, ModelJob) else ("", ())
    if isinstance(job, ProposeRequirements):
        before = job.recorded_before
    return CallContext(
        job.document.tenant,
        job.document.document_id,
        job.section.section_id if isinstance(job, SectionJob) else "",
        job.job_id,
        thread_id,
        recorded_as=recorded_as or thread_id or job.job_id,
        recorded_before=before,
    )


def echo(job: Job, context: CallContext) -> dict[str, Any]:
    """What every outcome of a job says, with what was spent by now."""
    return {**job.echo(), "usage": context.meter.total}


async def or_failure(
    job: SectionJob, context: CallContext, work: Awaitable[T]
) -> T | ModelUnavailable | AnswerMalformed | ContextTooLong:
    """What the work gives, or the outcome that says how the model failed."""
    try:
        return await work
    except ModelUnavailableError as error:
        return ModelUnavailable(**echo(job, context), detail=error.detail)
    except MalformedAnswerError as error:
        return AnswerMalformed(**echo(job, context), detail=error.detail)
    except ContextTooLongError as error:
        return ContextTooLong(
            **echo(job, context),
            detail=error.detail,
            prompt_tokens=error.prompt_tokens,
            context_tokens=error.context_tokens,
        )
