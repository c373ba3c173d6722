"""What was decided, told in view on the next page, with what takes it back."""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Query
from stemma_client import DocumentNotFoundError
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1.views import SectionView

from stemma_gateway.problems import NotFound
from stemma_gateway.resources.addresses import section_of
from stemma_gateway.sessions import Session

from .forms import SectionAddress
from .verbs import BY_NAME

TEXTS = frozenset({"accept_edit", "accept_suggestion", "accept_some", "take_back", "edit", "restore"})
"""What makes a version, which the version before takes the place of again."""
DONE = frozenset({*BY_NAME, *TEXTS, "comment", "resolve", "reopen", "assign_to_person", "unassign"})
MARKS = {"resolve": "reopen", "reopen": "resolve"}
Decided = Annotated[str, Query(max_length=200, description="a section with the version that was decided about")]
_PLACE = re.compile("/".join((*[TOKEN_PATTERN.strip("^$")] * 2, "[0-9]{1,9}")))


@dataclass(frozen=True)
class Result:
    """``done`` is the id of its words. ``section`` has a ``path`` unless it is what the page is about.

    ``undo`` is where a form with the ``fields`` takes it back; empty where nothing or nobody here does.
    """

    done: str
    section: SectionView
    path: str = ""
    undo: str = ""
    fields: Mapping[str, int] = field(default_factory=dict)


def result_of(done: str, at: SectionAddress, section: SectionView, may: Container[str], thread: str = "") -> Result:
    undo, fields = _undo(done, at, section, may, thread)
    return Result(done, section, undo=undo, fields=fields)


async def result_elsewhere(session: Session, done: str, decided: str) -> Result | None:
    """The result of a decision about a version of another section; None if that is not what is there."""
    if done not in DONE or not _PLACE.fullmatch(decided):
        return None
    document_id, section_id, version = decided.split("/")
    at = SectionAddress(document_id, section_id)
    try:
        section = await section_of(session, document_id, section_id)
    except (DocumentNotFoundError, NotFound):
        return None
    if section.version != int(version):
        return None
    undo, fields = _undo(done, at, section, session.client.rights.names, "")
    return Result(done, section, at.path, undo, fields)


def _undo(
    done: str, at: SectionAddress, section: SectionView, may: Container[str], thread: str
) -> tuple[str, Mapping[str, int]]:
    withdraw, restore = BY_NAME["withdraw_approval"], BY_NAME["restore"]
    if done == "approve" and withdraw.token in may and withdraw.is_open(section):
        return f"{at.path}/{withdraw.name}", {"version": section.version}
    if done in TEXTS and restore.token in may and restore.is_open(section):
        return f"{at.path}/{restore.name}", {
            "version": section.version,
            "restore_version": section.versions[-2].number,
        }
    if done in MARKS and any(each.thread_id == thread for each in section.threads):
        return f"{at.path}/threads/{thread}/{MARKS[done]}", {}
    return "", {}
