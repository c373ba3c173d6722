"""Ids of checkpoints: ``<YYYYmmdd_HHMMSS>_<label>[_<seq>].md``, bare names inside one session."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime

LABEL_CHARS = 40

_ID = re.compile(r"\d{8}_\d{6}_[A-Za-z0-9_]{1,60}\.md", re.ASCII)
_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9_]+")


def clean_label(label: str) -> str:
    """A label reduced to letters, digits and ``_``; empty if nothing is left."""
    return _NOT_IN_LABEL.sub("_", label).strip("_")[:LABEL_CHARS]


def is_checkpoint_id(name: object) -> bool:
    """Whether a name has the form of an id: no folder, no other file of a session."""
    return isinstance(name, str) and _ID.fullmatch(name) is not None


def new_checkpoint_id(label: str, at: datetime, taken: Collection[str]) -> str:
    """An id that is not taken; two of one second and label differ by a number."""
    stem = f"{at:%Y%m%d_%H%M%S}_{clean_label(label) or 'checkpoint'}"
    number, found = 1, f"{stem}.md"
    while found in taken:
        number += 1
        found = f"{stem}_{number}.md"
    return found
