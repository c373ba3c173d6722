"""What people may ask for: a role is a list of names of requests. All of them read what their tenant has."""

from collections.abc import Mapping
from enum import StrEnum

import stemma_contracts.v1  # noqa: F401  (fills the registry)
from stemma_contracts import Family, registry

_DECIDES = (
    "approve-section",
    "withdraw-approval",
    "revise-section",
    "answer-need",
    "keep-section",
    "keep-sections",
    "accept-edit",
    "reject-edit",
    "accept-suggestion",
    "take-back-changes",
    "decide-requirements",
    "split-requirements",
    "comment-section",
    "resolve-thread",
    "reopen-thread",
    "assign-section",
    "unassign-section",
    "plan-change",
)
_WRITES = (
    "create-document",
    "edit-section",
    "restore-section",
    "change-fact",
    "regenerate-section",
    "regenerate-sections",
    "retry-section",
    "set-budget",
    "answer-budget",
    "export-document",
    "export-form",
    "read-return",
    "apply-return",
    "add-input",
    "replace-input",
    "apply-input",
    "withdraw-input",
    "set-input-role",
    "mark-confidential",
    "confirm-form-fields",
    "read-requirements",
    "record-outcome",
    "describe-entry",
    "reuse-entry",
)
EVERY_REQUEST = tuple(sorted(entry.token for entry in registry.entries(Family.REQUEST)))


class Role(StrEnum):
    """What somebody is in a tenant."""

    READER = "reader"
    REVIEWER = "reviewer"
    AUTHOR = "author"
    OWNER = "owner"


ROLES: Mapping[Role, tuple[str, ...]] = {
    Role.READER: (),
    Role.REVIEWER: _DECIDES,
    Role.AUTHOR: (*_DECIDES, *_WRITES),
    Role.OWNER: EVERY_REQUEST,
}


def may_ask(role: str) -> frozenset[str]:
    """The requests of a role by their names; a program has none and asks for all, as does a role that is not known."""
    return frozenset(ROLES[Role(role)] if role in set(Role) else EVERY_REQUEST)
