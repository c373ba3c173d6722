"""The messages of a thread under a token limit: the newest are kept, tool calls together with their answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langchain_core.messages import AnyMessage, BaseMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately

CHARACTERS_PER_TOKEN = 3
CUT = "\n[...] (cut: too long for the history)"


def recent(messages: Sequence[AnyMessage], limit: int) -> list[AnyMessage]:
    """The newest messages that fit into ``limit`` tokens; the last exchange always, with its tool answers cut."""
    kept: list[AnyMessage] = []
    for exchange in reversed(list(_exchanges(messages))):
        if not kept:
            kept = _cut(exchange, limit)
        elif count_tokens_approximately([*exchange, *kept]) > limit:
            break
        else:
            kept = [*exchange, *kept]
    return kept


def _exchanges(messages: Sequence[AnyMessage]) -> Iterator[list[AnyMessage]]:
    """Messages that must stay together: one, and the answers to its tool calls."""
    held: list[AnyMessage] = []
    for message in messages:
        if held and not isinstance(message, ToolMessage):
            yield held
            held = []
        held.append(message)
    if held:
        yield held


def _cut(exchange: list[AnyMessage], limit: int) -> list[AnyMessage]:
    if count_tokens_approximately(list[BaseMessage](exchange)) <= limit:
        return exchange
    answers = max(1, sum(isinstance(message, ToolMessage) for message in exchange))
    room = limit * CHARACTERS_PER_TOKEN // answers
    return [_shortened(message, room) for message in exchange]


def _shortened(message: AnyMessage, room: int) -> AnyMessage:
    text = str(message.text)
    if not isinstance(message, ToolMessage) or len(text) <= room:
        return message
    return message.model_copy(update={"content": text[:room] + CUT})
