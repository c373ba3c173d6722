"""Chat models by name: those that installed packages add as ``stemma.models``, and any that LiteLLM knows."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from itertools import pairwise
from typing import TYPE_CHECKING, Any, assert_never
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel, ModelProfile
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from stemma_telemetry import get_logger

from .errors import UnfinishedAnswer, UnreadableAnswer
from .pace import LONGEST_S, known_pace
from .prompting import cached_borders, shared_part
from .schemas import as_tool, in_words, without_lengths
from .settings import OLLAMA, ModelSettings, Structure

if TYPE_CHECKING:
    import httpx
    from langchain_litellm import ChatLiteLLM
    from litellm import CustomStreamWrapper

_BROKEN_OFF = ("error", "ERROR", "network_error", "abort")
"""Reasons of providers that gave up in the middle; LiteLLM makes "stop" of them."""
_NOT_UNDERSTOOD = "Invalid response object"
"""What LiteLLM says of an answer whose content is no string, such as a list of parts."""


@cache
def whole_answers() -> type[ChatLiteLLM]:
    """The class of such models; LiteLLM is imported here, which takes seconds.

    It raises `UnfinishedAnswer` for an answer that is broken off, and `UnreadableAnswer` for one in another format.
    An answer that is not streamed may leave its reason out: JSON that parses is whole. Where LiteLLM puts a reason of
    its own before the provider's (Gemini in each chunk), nobody can see that a stream was cut.
    """
    import litellm
    from langchain_litellm import ChatLiteLLM

    class WholeAnswers(ChatLiteLLM):
        async def acompletion_with_retry(self, run_manager: Any = None, **call: Any) -> Any:
            """See `ChatLiteLLM`."""
            call = {**call, "messages": _prefixed(call["messages"])} if "messages" in call else call
            try:
                answer = await super().acompletion_with_retry(run_manager=run_manager, **call)
            except litellm.InternalServerError as error:
                if _NOT_UNDERSTOOD in str(error):
                    raise UnreadableAnswer from None
                raise
            if pace := known_pace(self.model, self.api_base):
                pace.told(answer.hidden_params.get("additional_headers") or {})
            return _finished(answer) if isinstance(answer, litellm.CustomStreamWrapper) else _whole(answer)

    return WholeAnswers


def _prefixed(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages; an answer at their end is told as one to go on with."""
    *before, last = messages
    return [*before, {**last, "prefix": True} if last["role"] == "assistant" else last]


def _whole(answer: Any) -> Any:
    if not answer.choices:
        raise UnfinishedAnswer("an answer without a choice")
    # The provider's own word for why it ended, where LiteLLM put another in its place.
    fields = getattr(answer.choices[0], "provider_specific_fields", None) or {}
    if fields.get("native_finish_reason") in _BROKEN_OFF:
        raise UnfinishedAnswer("the model gave up")
    return answer


async def _finished(stream: CustomStreamWrapper) -> AsyncIterator[Any]:
    # LiteLLM ends every stream with a reason, if need be one of its own; what the provider said stands only in these
    # two, and the second is forgotten with the next chunk.
    reason, spoke = None, False
    async for chunk in stream:
        reason = stream.received_finish_reason or stream.intermittent_finish_reason or reason
        spoke = spoke or any(_says(choice.delta) for choice in chunk.choices)
        yield chunk
    if reason is None or reason in _BROKEN_OFF:
        raise UnfinishedAnswer("a stream that was cut")
    if reason == "stop" and not spoke:
        # LiteLLM drops what it does not know of a stream, such as a refusal; an answer in one piece has it.
        raise UnfinishedAnswer("a stream without words")


def _says(delta: Any) -> bool:
    return any(getattr(delta, name, None) for name in ("content", "reasoning_content", "tool_calls"))


OLLAMA_TOKENS = 4096
"""What Ollama holds of a prompt and its answer if nobody tells it otherwise."""
OPENAI = "openai/"
NO_KEY = "none"
VOCABULARY = "gpt-3.5-turbo"
"""For a rough count any will do; those of other families would be downloaded."""

log = get_logger()
ENTRY_POINTS = "stemma.models"


_API_KEY = "_API_KEY"


class KeyMissing(ValueError):
    """A model that could never be called: the message names it and the variable of its key."""


@dataclass(frozen=True)
class Provider:
    """What an entry point of the group ``stemma.models`` names; its name is that of the model.

    ``judges`` says whether a score that the model gives is a judgement; ``reads_everything``, whether a prompt may
    hold inputs of any length, because they cost nothing.
    """

    make: Callable[[ModelSettings], BaseChatModel]
    judges: bool = True
    reads_everything: bool = False


def provider(name: str) -> Provider:
    """Where a model comes from; LiteLLM knows what no package adds."""
    return _loaded(name) if name in _installed() else Provider(_litellm_model)


def chat_model(settings: ModelSettings) -> BaseChatModel:
    """The model of ``settings.name``; ``offline`` needs no key and no network. Raises `KeyMissing`."""
    return provider(settings.name).make(settings)


async def open_chat_model(settings: ModelSettings) -> BaseChatModel:
    """`chat_model`, made beside the event loop: importing LiteLLM takes seconds, in which no message is answered."""
    return await asyncio.to_thread(_opened, settings)


def _opened(settings: ModelSettings) -> BaseChatModel:
    model = chat_model(settings)
    if settings.name not in _installed():
        _import_the_rest()
    return model


def _import_the_rest() -> None:
    """What LiteLLM loads with its first call only: modules and a vocabulary, for which the event loop would wait."""
    import litellm

    asked = [{"role": "user", "content": "."}]
    litellm.completion(model=VOCABULARY, messages=asked, mock_response=".", api_key=NO_KEY)
    _token_ids(".")


@cache
def _installed() -> Mapping[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


@cache
def _loaded(name: str) -> Provider:
    found: Provider = _installed()[name].load()
    return found


def _window(settings: ModelSettings, known: Mapping[str, Any]) -> int | None:
    """How many tokens the model holds: as set, as LiteLLM's map of models has it, or what Ollama takes by default."""
    if settings.context_tokens is not None:
        return settings.context_tokens
    told = known.get(settings.name) or known.get(settings.name.partition("/")[2]) or {}
    assumed = OLLAMA_TOKENS if _is_ollama(settings.name) else None
    return told.get("max_input_tokens") or told.get("max_tokens") or assumed


def needs_no_key(settings: ModelSettings) -> bool:
    """A server of one's own takes any key, and the client of OpenAI takes none for an answer."""
    import litellm

    own = settings.api_base is not None and settings.name.startswith(OPENAI)
    return own and not litellm.validate_environment(settings.name)["keys_in_environment"]


def require_key(settings: ModelSettings) -> None:
    """Raises `KeyMissing` for a provider that nobody knows, or whose key is not in the environment."""
    import litellm

    try:
        litellm.get_llm_provider(settings.name, api_base=settings.api_base)
    except litellm.BadRequestError:
        named = "name it with its provider, such as openai/NAME for a server in OpenAI's protocol"
        raise KeyMissing(f"{settings.name} is no model that LiteLLM knows: {named}") from None
    if settings.api_base is not None:
        return
    missing = [name for name in litellm.validate_environment(settings.name)["missing_keys"] if name.endswith(_API_KEY)]
    if missing:
        raise KeyMissing(f"{settings.name} needs {' and '.join(missing)} in the environment")


def _is_ollama(name: str) -> bool:
    return name.startswith(OLLAMA)


def _litellm_model(settings: ModelSettings) -> BaseChatModel:
    # LiteLLM has no other switch for this: without it, it fetches a price list from the network when it is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    # It prints advice about each error to the standard output, where the log is.
    litellm.suppress_debug_info = True
    require_key(settings)
    window = _window(settings, litellm.model_cost)
    if window is None:
        log.warning("context_tokens_unknown", model=settings.name)
    # Ollama cuts what is longer than it was told to hold, from the front and in silence.
    told = {"num_ctx": window} if _is_ollama(settings.name) else {}
    return whole_answers()(
        model=settings.name,
        api_key=NO_KEY if needs_no_key(settings) else None,
        api_base=settings.api_base,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        request_timeout=settings.call_limit or LONGEST_S,
        # Only this keyword reaches the provider's own client; without it one call is three HTTP attempts.
        model_kwargs={"max_retries": 0, "drop_params": True, **told},
        profile=_profile(settings, window),
        custom_get_token_ids=_token_ids,
    )


def _profile(settings: ModelSettings, window: int | None) -> ModelProfile:
    import litellm

    known = ModelProfile(
        structured_output=_takes_schemas(settings),
        tool_calling=litellm.supports_function_calling(settings.name),
        reasoning_output=litellm.supports_reasoning(settings.name),
    )
    return ModelProfile(**known, max_input_tokens=window) if window else known


@dataclass(frozen=True)
class Told:
    """What llama.cpp's server tells of itself: calls at a time, and tokens that each may hold."""

    slots: int
    context: int


LOOKED_FOR_S = 5.0
LOADING = 503


async def look_at(settings: ModelSettings) -> Told | None:
    """Ask a server of one's own what it can do; nothing if it is none of llama.cpp, or does not tell."""
    answer = await _of_server(settings, "props")
    try:
        told = answer.json() if answer is not None else {}
        return Told(int(told["total_slots"]), int(told["default_generation_settings"]["n_ctx"]))
    except (ValueError, KeyError, TypeError):
        return None


async def is_loaded(settings: ModelSettings) -> bool:
    """Whether the server answers; one of llama.cpp says of itself that it still loads its model."""
    answer = await _of_server(settings, "health")
    return answer is None or answer.status_code != LOADING


async def _of_server(settings: ModelSettings, path: str) -> httpx.Response | None:
    import httpx

    if settings.api_base is None or not settings.name.startswith(OPENAI):
        return None
    address = settings.api_base.rstrip("/").removesuffix("/v1")
    try:
        async with asyncio.timeout(LOOKED_FOR_S), httpx.AsyncClient() as asking:
            return await asking.get(f"{address}/{path}")
    except (TimeoutError, httpx.HTTPError, httpx.InvalidURL):
        return None


CACHE_BORDER = {"cache_control": {"type": "ephemeral"}}
_CLAUDE = "claude"


def with_cache_hints(
    settings: ModelSettings, messages: Sequence[BaseMessage], document_id: str
) -> tuple[list[BaseMessage], dict[str, Any]]:
    """Messages and parameters that tell a provider what of a prompt to cache, where it wants to be told.

    Claude caches up to a border: behind the instructions, behind what all sections of a document share, and behind the
    answer of a tool that the next step of an agent is shown, too. OpenAI caches by itself, and finds more where the
    calls of a document have a key.
    """
    if settings.name in _installed():
        return list(messages), {}
    if _CLAUDE in settings.name:
        told = [number for number, one in enumerate(messages[:-1]) if isinstance(one, ToolMessage) and one.text]
        bordered = {0, 1, *told[-1:]}
        return [_with_border(one) if number in bordered else one for number, one in enumerate(messages)], {}
    is_openai = settings.name.startswith(OPENAI) and _is_theirs(settings)
    return list(messages), {"prompt_cache_key": document_id} if is_openai else {}


LEAST_CACHED_CHARS = 4096
"""Providers cache from 1,024 tokens on."""


def cached_start(
    model: BaseChatModel, settings: ModelSettings, messages: Sequence[BaseMessage], document_id: str
) -> str:
    """A name for what a prompt shares with others of its document; empty if no cache of a provider will hold that."""
    texts = [str(message.text) for message in messages[:2]]
    start = "\n".join([document_id, *texts[:1], *(text[: shared_part(text)] for text in texts[1:])])
    is_litellms = "tool_calling" in (model.profile or {})
    if len(start) < LEAST_CACHED_CHARS or not is_litellms or not _caches_prompts(settings.name):
        return ""
    return hashlib.sha256(start.encode(errors="replace")).hexdigest()


def _caches_prompts(name: str) -> bool:
    """Whether LiteLLM knows that; of a model of an installed package it knows nothing."""
    import litellm

    return bool(litellm.utils.supports_prompt_caching(name))


def continues(name: str) -> bool:
    """Whether LiteLLM knows that the model of this provider goes on with an answer that it is given the beginning of.

    A server of the user's own may give any name to a model that does not.
    """
    if name in _installed() or "/" not in name:
        return False
    import litellm

    provider, _, model = name.partition("/")
    known = litellm.model_cost.get(name) or litellm.model_cost.get(model) or {}
    return bool(known.get("supports_assistant_prefill")) and known.get("litellm_provider") == provider


def structure_of(model: BaseChatModel, settings: ModelSettings) -> Structure:
    """How the model is asked for a value: as set, or by what is known of it."""
    if settings.structure is not None:
        return settings.structure
    known = model.profile or {}
    if known.get("structured_output", True):
        return "schema"
    return "tool" if known.get("tool_calling") else "words"


def _takes_schemas(settings: ModelSettings) -> bool:
    """Whether LiteLLM knows that, or does not know the model: then its server is tried."""
    import litellm

    name = settings.name
    if litellm.supports_response_schema(name) or _is_ollama(name):
        return True
    is_known = not settings.api_base and (name in litellm.model_cost or name.partition("/")[2] in litellm.model_cost)
    return not is_known and "response_format" in (litellm.get_supported_openai_params(name) or ())


def with_structure(
    settings: ModelSettings, structure: Structure, wanted: Mapping[str, Any], messages: Sequence[BaseMessage]
) -> tuple[Sequence[BaseMessage], dict[str, Any]]:
    """Messages and parameters that ask for a value of a schema, ``wanted`` as `response_format` has it."""
    match structure:
        case "schema":
            return messages, {"response_format": without_lengths(wanted) if _is_openai(settings) else dict(wanted)}
        case "tool":
            tool = as_tool(wanted)
            chosen = {"type": "function", "function": {"name": tool["function"]["name"]}}
            return messages, {"tools": [tool], "tool_choice": chosen}
        case "words":
            return in_words(messages, wanted), {}
        case _:
            assert_never(structure)


def _is_openai(settings: ModelSettings) -> bool:
    return settings.name.startswith("azure/") or (settings.name.startswith(OPENAI) and _is_theirs(settings))


def _is_theirs(settings: ModelSettings) -> bool:
    """Whether it is OpenAI's own server: another one may refuse a parameter that it does not know."""
    import litellm

    address = urlsplit(litellm.OpenAIGPTConfig.get_api_base(settings.api_base) or "")
    return (address.hostname or "").endswith(".openai.com")


def _with_border(message: BaseMessage) -> BaseMessage:
    text = str(message.text)
    ends = cached_borders(text) if isinstance(message, HumanMessage) else [len(text)]
    if isinstance(message, HumanMessage) and ends[-1] in (0, len(text)):
        return message
    shared = [{"type": "text", "text": text[a:b], **CACHE_BORDER} for a, b in pairwise([0, *ends])]
    own = [{"type": "text", "text": text[ends[-1] :]}] if text[ends[-1] :] else []
    return message.model_copy(update={"content": [*shared, *own]})


def _token_ids(text: str) -> list[int]:
    """Tokens by the vocabulary that comes with LiteLLM; nothing is downloaded."""
    import litellm

    ids: list[int] = litellm.encode(model=VOCABULARY, text=text)
    return ids
