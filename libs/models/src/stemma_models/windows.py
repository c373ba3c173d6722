"""Whether a model can hold what it is asked, known before the call: many servers cut a prompt in silence."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from .errors import ContextTooLongError
from .records import Request
from .settings import ModelSettings
from .usage import Meter

ANSWER_SHARE = 4
"""An answer needs a quarter of what the model holds, or what it may have at most if that is less."""
TOKENS_A_MESSAGE = 4


def window_of(model: BaseChatModel) -> int | None:
    """How many tokens a model holds, prompt and answer together; None if that is not known or does not matter."""
    return (model.profile or {}).get("max_input_tokens")


async def check_room(model: BaseChatModel, request: Request, settings: ModelSettings, spent: Meter) -> None:
    """Raises `ContextTooLongError` for a request that the model cannot hold; the count is a rough one."""
    holds = window_of(model)
    if holds is None:
        return
    answer = min(settings.max_tokens, holds // ANSWER_SHARE)
    framing = TOKENS_A_MESSAGE * len(request.messages) + answer
    # No token is shorter than a byte: most prompts fit without being counted.
    if sum(len(piece.encode(errors="replace")) for piece in _pieces(request)) + framing <= holds:
        return
    tokens = await tokens_of(model, request)
    if tokens + answer > holds:
        raise ContextTooLongError(settings.name, tokens, holds, answer, spent.total)


async def tokens_of(model: BaseChatModel, request: Request) -> int:
    """A rough count of the tokens of a prompt; each model family splits words in a way of its own.

    It is made beside the event loop: it reads the vocabulary first, and then all of a long prompt.
    """
    return await asyncio.to_thread(_count, model, request)


def _count(model: BaseChatModel, request: Request) -> int:
    return sum(model.get_num_tokens(piece) + TOKENS_A_MESSAGE for piece in _pieces(request))


def _pieces(request: Request) -> Iterator[str]:
    """All text that goes to the model."""
    for message in request.messages:
        yield str(message.text)
        if isinstance(message, AIMessage) and message.tool_calls:
            yield json.dumps(message.tool_calls, default=str)
    yield from (json.dumps(tool) for tool in request.tools)
    if request.response_format is not None:
        yield json.dumps(request.response_format)
