"""Which parts of the inputs a draft rests on, so that it is looked at again when just these change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from stemma_confinement import Limits
from stemma_contracts.v1.inputs import MOST_USED_PARTS, UsedInput
from stemma_evidence import Uses

from .confined import SAFE_CHARACTERS, Check, checked
from .errors import ValidationOutOfMemory, ValidationTimeout
from .given import BY_LINE, Given

THREAD_CHARACTERS = 128 * 1024
"""Up to here the worst texts take half a second."""


class UsesCheck(Check[tuple[UsedInput, ...]]):
    """A draft and the inputs that it may rest on."""

    name: ClassVar = "uses check"

    text: str
    given: tuple[Given, ...]

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(one.text or "") for one in self.given)

    @property
    def unknown(self) -> int:
        characters = self.characters
        return characters if characters > THREAD_CHARACTERS else min(characters, SAFE_CHARACTERS)

    def run(self) -> tuple[UsedInput, ...]:
        uses, left = Uses(self.text), MOST_USED_PARTS
        found = list[UsedInput]()
        for one in self.given:
            parts = uses.of(one.text, by_line=one.ref.media_type in BY_LINE) if one.text is not None else ()
            whole = one.text is None or len(parts) > left
            left -= 0 if whole else len(parts)
            if whole or parts:
                found.append(UsedInput(input_id=one.input_id, parts=() if whole else parts, whole=whole))
        return tuple(found)


async def used_inputs(given: Sequence[Given], text: str, limits: Limits) -> tuple[UsedInput, ...] | None:
    """The inputs that a version of a section rests on, all of them past the limits; None if there are none."""
    if not given:
        return None
    try:
        return await checked(UsesCheck(text=text, given=tuple(replace(one, anchors=()) for one in given)), limits)
    except (ValidationTimeout, ValidationOutOfMemory):
        return tuple(UsedInput(input_id=one.input_id, whole=True) for one in given)
