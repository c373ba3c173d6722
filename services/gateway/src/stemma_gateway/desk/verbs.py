"""What can be decided about a section, each with its key and what its form sends, and how that is told in view."""

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Query
from stemma_client import DocumentNotFoundError
from stemma_contracts import registry
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.views import SectionView, VersionView

from stemma_gateway.problems import Invalid, NotFound
from stemma_gateway.resources.addresses import section_of
from stemma_gateway.sessions import Session

from .forms import SectionAddress, whole_number

Form = Mapping[str, str]


@dataclass(frozen=True)
class Verb:
    """A verb: the request that it makes of a form, when it is open, and the fields that a person fills in."""

    name: str
    key: str
    request: type[r.DocumentRequest]
    is_open: Callable[[SectionView], bool]
    fields: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ("version",)
    hidden: tuple[str, ...] = ()

    @property
    def token(self) -> str:
        return registry.entry_of(self.request).token

    def asked(self, document_id: str, section_id: str, form: Form) -> r.DocumentRequest:
        body: dict[str, Any] = {"document_id": document_id, "section_id": section_id}
        body |= {name: number for name in self.numbers if (number := whole_number(form.get(name, ""))) is not None}
        body |= {name: form[name].replace("\r\n", "\n") for name in (*self.fields, *self.hidden) if form.get(name)}
        body |= {name: True for name in self.flags if name in form}
        return self.request.model_validate(body)


def version_named(section: SectionView, number: str) -> VersionView:
    if (version := section.numbered(whole_number(number) or 0)) is None:
        raise Invalid(Problem.of("version_unknown", "version", section_id=section.section_id, version=number))
    return version


VERBS = (
    Verb("approve", "a", r.ApproveSection, lambda s: s.waits_for_review),
    Verb("revise", "r", r.ReviseSection, lambda s: s.waits_for_review, ("feedback",)),
    Verb("answer", "w", r.AnswerNeed, lambda s: s.asks, ("answer",), numbers=(), hidden=("need_id",)),
    Verb("accept_edit", "y", r.AcceptEdit, lambda s: s.proposes, hidden=("proposal_id",)),
    Verb("reject_edit", "n", r.RejectEdit, lambda s: s.proposal is not None, hidden=("proposal_id",)),
    Verb("keep", "p", r.KeepSection, lambda s: s.is_to_be_kept_or_regenerated),
    Verb("retry", "t", r.RetrySection, lambda s: s.can_be_retried, numbers=()),
    Verb("withdraw_approval", "x", r.WithdrawApproval, lambda s: s.status is SectionStatus.APPROVED),
    Verb("edit", "e", r.EditSection, lambda s: not s.at_work, ("text",)),
    Verb("instruct", "o", r.EditSection, lambda s: s.version > 0 and not s.at_work, ("instruction",)),
    Verb("regenerate", "g", r.RegenerateSection, lambda s: s.can_be_regenerated, ("guidance",), ("replace_edited",)),
    Verb(
        "restore",
        "z",
        r.RestoreSection,
        lambda s: len(s.versions) > 1 and not s.at_work,
        numbers=("version", "restore_version"),
    ),
)
BY_NAME = {verb.name: verb for verb in VERBS}


def open_verbs(section: SectionView, may: Container[str]) -> Mapping[str, Verb]:
    """What can be decided about a section by somebody who may make these requests."""
    return {verb.name: verb for verb in VERBS if verb.token in may and verb.is_open(section)}


def barred_verbs(section: SectionView, may: Container[str]) -> list[str]:
    """What somebody else could decide about it."""
    return [verb.name for verb in VERBS if verb.token not in may and verb.is_open(section)]


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
