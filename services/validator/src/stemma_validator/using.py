"""Which parts of the inputs a draft rests on, so that it is looked at again when just these change."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from stemma_contracts.v1.inputs import MOST_USED_PARTS, UsedInput
from stemma_evidence import Uses

from .confined import SAFE_CHARACTERS
from .given import BY_LINE, Given


async def used_inputs(given: Sequence[Given], text: str) -> tuple[UsedInput, ...] | None:
    """The inputs that a version of a section rests on; None if there are none to look at."""
    if not given:
        return None
    characters = len(text) + sum(len(one.text or "") for one in given)
    if characters <= SAFE_CHARACTERS:  # parts are cut by lines: no text takes longer than others
        return _used(text, given)
    return await asyncio.to_thread(_used, text, given)


def _used(draft: str, given: Sequence[Given]) -> tuple[UsedInput, ...]:
    uses, left = Uses(draft), MOST_USED_PARTS
    found = list[UsedInput]()
    for one in given:
        parts = uses.of(one.text, by_line=one.ref.media_type in BY_LINE) if one.text is not None else ()
        whole = one.text is None or len(parts) > left
        left -= 0 if whole else len(parts)
        if whole or parts:
            found.append(UsedInput(input_id=one.input_id, parts=() if whole else parts, whole=whole))
    return tuple(found)
