"""What an agent did so far, read from the messages of its thread."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

RESTORED = "The document is as it was at "
_LINES = re.compile(r"lines (\d+) to (\d+) of \d+\n\n")
_NUMBERED = re.compile(r"(\d+): (.*)")
_LACKING = re.compile(r'- `([^`]+)`, (?:"(.*)"|before the first heading), lines? \d+(?: to \d+)?: (.+)')


@dataclass(frozen=True)
class Act:
    """One tool call and what it was answered; a rollback that the agent was told of is an act, too."""

    name: str
    arguments: dict[str, Any]
    answer: str
    failed: bool

    def shown_lines(self) -> Iterator[tuple[int, str]]:
        """The numbered lines of a file that a reading tool answered with."""
        header = _LINES.match(self.answer)
        if header:
            yield from enumerate(self.answer[header.end() :].split("\n"), int(header.group(1)))

    def lacking(self) -> list[tuple[str, str, str]]:
        """The file, the heading and what is said of each chapter that an answer names as missing; headings first.

        What stands under no heading comes last, for it is named with its file.
        """
        found = filter(None, map(_LACKING.fullmatch, self.answer.splitlines() if self.failed else ()))
        return sorted(((f.group(1), f.group(2) or "", f.group(3)) for f in found), key=lambda entry: not entry[1])

    def numbered_lines(self) -> dict[int, str]:
        """The lines of the document, where each bears its number."""
        lines = (_NUMBERED.fullmatch(line) for _, line in self.shown_lines())
        return {int(found.group(1)): found.group(2) for found in lines if found}


def acts_of(messages: Sequence[BaseMessage]) -> list[Act]:
    """The acts in their order; a call without an answer yet is none."""
    answers = [message for message in messages if isinstance(message, ToolMessage)]
    taken = iter(answers)
    acts = []
    for message in messages:
        if isinstance(message, AIMessage):
            acts += [_act(call, next(taken, None)) for call in message.tool_calls]
        elif isinstance(message, HumanMessage) and RESTORED in str(message.text):
            acts.append(Act("create_checkpoint", {}, "", failed=False))
    return acts


def _act(call: Any, answer: ToolMessage | None) -> Act:
    text = str(answer.content) if answer else ""
    return Act(call["name"], dict(call["args"]), text, answer is None or answer.status == "error")


def since(acts: Sequence[Act], names: Collection[str]) -> Sequence[Act]:
    """The acts after the last of certain ones."""
    last = max((place for place, act in enumerate(acts) if act.name in names), default=-1)
    return acts[last + 1 :]
