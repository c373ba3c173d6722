"""Model calls: recorded before they are used, retried when the provider stumbles, asked again when malformed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel
from stemma_artifacts.store import ArtifactMissing, ArtifactStore, reference
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.usage import Usage
from stemma_telemetry import get_logger

from . import checks
from .client import THINKING, ModelClient
from .errors import MalformedAnswerError
from .listening import TokenSink
from .providers import provider
from .records import Record, RecordStore, Replay, Reply, Request
from .settings import ModelSettings
from .spans import chat_span
from .usage import Meter

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

RE_ASKS = 2
INLINE_BYTES = 1024
MARKDOWN = "text/markdown"

log = get_logger()


@dataclass(frozen=True)
class CallContext:
    """For whom a call is made. ``meter`` adds up what the job spends, also when it fails.

    Its answer is recorded under ``recorded_as``, by default the job; ``recorded_before`` are the names that earlier
    tries of the same work used. ``replay`` is of one run of the job: what the records told of it so far.
    """

    tenant: str
    document_id: str
    section_id: str
    job_id: str
    thread_id: str = ""
    attempt: int = 0
    recorded_as: str = ""
    recorded_before: tuple[str, ...] = ()
    meter: Meter = field(default_factory=Meter, compare=False)
    replay: Replay = field(default_factory=Replay, compare=False)


@dataclass(frozen=True)
class Answer:
    """An answer in words; ``ref`` is the artifact of the same bytes, absent for a short answer."""

    text: str
    usage: Usage
    ref: ArtifactRef | None


@dataclass(frozen=True)
class StructuredAnswer(Generic[M]):
    """An answer that fits its schema."""

    value: M
    usage: Usage
    ref: ArtifactRef | None


@dataclass(frozen=True)
class MessageAnswer:
    """An answer as a message of the thread: text, tool calls, or both."""

    message: AIMessage
    usage: Usage
    ref: ArtifactRef | None


@dataclass(frozen=True)
class _Asked(Generic[T]):
    value: T
    usage: Usage
    ref: ArtifactRef | None


@dataclass(frozen=True)
class _Call:
    ctx: CallContext
    name: str
    request: Request
    meter: Meter
    on_token: TokenSink | None = None
    opens_with: tuple[str, ...] = ()


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

    @property
    def judges(self) -> bool:
        """Whether a score of this model is a judgement."""
        return provider(self.settings.name).judges

    async def text(
        self,
        ctx: CallContext,
        name: str,
        messages: Sequence[BaseMessage],
        *,
        on_token: TokenSink | None = None,
        opens_with: tuple[str, ...] = (),
    ) -> Answer:
        """Ask for text. ``on_token`` gets it: nothing on a replay, all again on a retry.

        It gets the text as it comes if it does not return `False` to an empty text when the call begins, else in one
        piece. What does not begin with ``opens_with``, as the model was asked to, may be a thought: it is held back
        until the answer is whole.
        """
        call = replace(self._call(ctx, name, messages), on_token=on_token, opens_with=opens_with)
        asked = await self._ask(call, checks.check_text)
        return Answer(asked.value, asked.usage, asked.ref)

    async def structured(
        self,
        ctx: CallContext,
        name: str,
        messages: Sequence[BaseMessage],
        schema: type[M],
        *,
        context: Mapping[str, Any] | None = None,
    ) -> StructuredAnswer[M]:
        """Ask for a value of ``schema``; ``context`` is the validation context that its validators read."""
        call = self._call(ctx, name, messages, response_format=_response_format(schema))
        asked = await self._ask(call, lambda reply: checks.parse(reply, schema, context))
        return StructuredAnswer(asked.value, asked.usage, asked.ref)

    async def message(
        self, ctx: CallContext, name: str, messages: Sequence[BaseMessage], tools: Sequence[Any] = ()
    ) -> MessageAnswer:
        """Ask for text or tool calls; ``tools`` are anything that LangChain can bind."""
        call = self._call(ctx, name, messages, tools=[convert_to_openai_tool(tool) for tool in tools])
        asked = await self._ask(call, checks.check_complete)
        return MessageAnswer(asked.value.message, asked.usage, asked.ref)

    def _call(
        self,
        ctx: CallContext,
        name: str,
        messages: Sequence[BaseMessage],
        *,
        tools: Sequence[dict[str, Any]] = (),
        response_format: Mapping[str, Any] | None = None,
    ) -> _Call:
        request = Request(self._parameters, tuple(messages), tools, response_format)
        return _Call(ctx, name, request, Meter(ctx.meter))

    async def _ask(self, call: _Call, check: Callable[[Reply], T]) -> _Asked[T]:
        detail = ""
        for retry in range(1 + RE_ASKS):
            # Made once: it is the digest of all that the model reads.
            key = _key(call, _own_name(call.ctx), retry)
            record = await self._own_record(call.ctx, key)
            if record is None and retry == 0 and (before := await self._asked_before(call, check)):
                return before
            reply = await self._reply(call, key, record)
            try:
                return _Asked(check(reply), call.meter.total, reply.record.artifact)
            except checks.UnusableAnswer as unusable:
                detail = unusable.detail
                log.warning("answer_malformed", call=call.name, retry=retry, detail=detail)
                call = replace(call, request=_asked_again(call.request, reply, unusable.problems))
        raise MalformedAnswerError(detail, call.meter.total)

    async def _asked_before(self, call: _Call, check: Callable[[Reply], T]) -> _Asked[T] | None:
        """What an earlier try was answered to the same request; it was counted there."""
        for name in call.ctx.recorded_before:
            if (found := await self._asked_as(call, check, name)) is not None:
                return found
        return None

    async def _asked_as(self, call: _Call, check: Callable[[Reply], T], recorded_as: str) -> _Asked[T] | None:
        ctx = call.ctx
        for retry in range(1 + RE_ASKS):
            key = _key(call, recorded_as, retry)
            record = await self._records.get(ctx.tenant, ctx.document_id, key)
            reply = await self._replay(ctx, record) if record else None
            if reply is None:
                return None
            try:
                return _Asked(check(reply), Usage(), reply.record.artifact)
            except checks.UnusableAnswer as unusable:
                call = replace(call, request=_asked_again(call.request, reply, unusable.problems))
        return None

    async def _own_record(self, ctx: CallContext, key: str) -> Record | None:
        look_up = partial(self._records.get, ctx.tenant, ctx.document_id, key)
        return await look_up() if ctx.recorded_before else await ctx.replay.look_up(look_up)

    async def _reply(self, call: _Call, key: str, record: Record | None) -> Reply:
        ctx = call.ctx
        reply = await self._replay(ctx, record) if record else None
        if record is not None:
            call.meter.count(record.usage)
        if reply is not None:
            return reply
        answered = await self._answer(call, record.usage if record else Usage())
        return await self._recorded(ctx, key, answered)

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
        ctx = call.ctx
        with chat_span(self.settings.name, ctx.tenant, ctx.document_id, ctx.section_id) as span:
            message, usage = await self._client.call(call.request, call.meter, call.on_token, call.opens_with)
            span.answered(usage)
        record = Record(
            model=self.settings.name,
            usage=paid.plus(usage),
            finish_reason=str(message.response_metadata.get("finish_reason") or ""),
            refusal=_refusal(message),
            tool_calls=tuple(message.tool_calls),
            invalid_tool_calls=tuple(message.invalid_tool_calls),
            thinking=bool(message.response_metadata.get(THINKING)),
        )
        return Reply(record, str(message.text))

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


def _own_name(ctx: CallContext) -> str:
    return ctx.recorded_as or ctx.job_id


def _key(call: _Call, recorded_as: str, retry: int) -> str:
    return call.request.key(recorded_as, call.ctx.attempt, call.name, retry)


def _refusal(message: AIMessage) -> str:
    """The words of a refusal, where LangChain's own providers or LiteLLM put them."""
    told = message.additional_kwargs
    return str(told.get("refusal") or (told.get("provider_specific_fields") or {}).get("refusal") or "")


@lru_cache(maxsize=64)
def _response_format(schema: type[BaseModel]) -> Mapping[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": schema.__name__, "schema": schema.model_json_schema()}}


def _asked_again(request: Request, reply: Reply, problems: Sequence[str]) -> Request:
    """The same request, with the unusable answer and what is wrong with it."""
    complaint = ["Your last answer cannot be used:", *(f"- {problem}" for problem in problems)]
    complaint.append("Answer the same task again, completely, with this put right.")
    if request.response_format is not None:
        complaint.append("Give one JSON object that fits the schema of the answer, and nothing around it.")
    said = [AIMessage(reply.text)] if reply.text.strip() else []
    return replace(request, messages=[*request.messages, *said, HumanMessage("\n".join(complaint))])
