"""What a machine wrote anew and what people wrote, where both changed the same: shown side by side, and settled."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from stemma_contracts.v1.merges import Merge, MergeConflict, MergeConflicts
from stemma_contracts.v1.views import VersionView

from .client import Client
from .errors import InvalidInputError

Choice = Literal["ours", "theirs", "both"]
CHOICES: tuple[Choice, ...] = get_args(Choice)
_ITEM = re.compile(r"[-*+] |\d{1,9}[.)] |\|")


async def conflicts_of(client: Client, document_id: str, version: VersionView | None) -> tuple[MergeConflict, ...]:
    """The open conflicts of a version, in the order of its text."""
    return await conflicts_in(client, document_id, version.merge if version else None)


async def conflicts_in(client: Client, document_id: str, merge: Merge | None) -> tuple[MergeConflict, ...]:
    """The conflicts of a merge, also of that of a proposed edit."""
    if merge is None or merge.conflicts is None:
        return ()
    body = await client.text(document_id, merge.conflicts)
    return MergeConflicts.model_validate_json(body).conflicts


def settled(text: str, conflicts: Sequence[MergeConflict], choices: Iterable[str]) -> str:
    """The text with what is chosen at each conflict. Raises `InvalidInputError` unless there is one choice for each."""
    chosen = list(choices)
    if len(chosen) != len(conflicts) or not set(chosen) <= set(CHOICES):
        raise InvalidInputError(f"give one of {', '.join(CHOICES)} for each of the {len(conflicts)} conflicts")
    pieces, at = list[str](), 0
    for conflict, choice in zip(conflicts, chosen, strict=True):
        pieces += [text[at : conflict.start], _said(text, conflict, choice)]
        at = conflict.end
    return "".join([*pieces, text[at:]])


def _said(text: str, conflict: MergeConflict, choice: str) -> str:
    ours, theirs = conflict.ours, conflict.theirs
    if choice == "ours" or not theirs.strip():
        return "" if choice == "theirs" else ours
    if not ours.strip():
        return _put_in(text, conflict)
    return theirs if choice == "theirs" else f"{ours}{_between(ours, theirs, _is_whole(text, conflict))}{theirs}"


def _put_in(text: str, conflict: MergeConflict) -> str:
    """What a person had deleted, at its place again: apart from what stands before and after it."""
    before, after = text[: conflict.start].rstrip(), text[conflict.end :].lstrip()
    begins = not conflict.start or text[conflict.start - 1] in "\r\n"
    lead = _between(before, conflict.theirs, begins) if before else ""
    trail = _between(conflict.theirs, after, begins) if after else ""
    missing = len(text[: conflict.start]) - len(before)
    return f"{lead[missing:]}{conflict.theirs}{trail[len(text[conflict.end :]) - len(after) :]}"


def _between(one: str, other: str, are_whole: bool) -> str:
    """What keeps two sentences, two items of a list or two blocks apart."""
    if not are_whole:
        return " "
    last = one.rstrip().rsplit("\n", 1)[-1]
    return "\n" if _ITEM.match(last.lstrip()) and _ITEM.match(other.lstrip()) else "\n\n"


def _is_whole(text: str, conflict: MergeConflict) -> bool:
    """Whether lines of their own are in dispute, and not a sentence in one."""
    begins = not conflict.start or text[conflict.start - 1] in "\r\n"
    return begins and (conflict.end == len(text) or text[conflict.end] in "\r\n")
