"""Which tools a session lists: those of its profile that its role may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from pydantic import BaseModel
from stemma_contracts.roles import EVERY_REQUEST, ROLES, Role

from .clients import ClientOf


class Profile(StrEnum):
    """How many tools a session lists: what most work needs, or all. A model reads the list before every call."""

    SHORT = "short"
    FULL = "full"


ProfileOf = Callable[[Context[Any, Any]], Profile]
"""The profile that whoever makes a call has chosen."""

SHORT = frozenset(
    {
        "list_kinds",
        "start_document",
        "list_documents",
        "document_status",
        "what_waits",
        "read_section",
        "approve_section",
        "revise_section",
        "answer_question",
        "accept_edit",
        "reject_edit",
        "edit_section",
        "keep_section",
        "regenerate_section",
        "retry_section",
        "export_document",
        "export_result",
    }
)


def may_ask(role: str) -> frozenset[str]:
    """The requests of a role by their names; a program has none and asks for all, as does a role that is not known."""
    return frozenset(ROLES[Role(role)] if role in set(Role) else EVERY_REQUEST)


def listed_names(asks: Mapping[str, frozenset[str]], profile: Profile, role: str) -> frozenset[str]:
    """The tools that a session lists; ``asks`` has the requests of each, any of which makes it of use."""
    allowed = may_ask(role)
    usable = (name for name, requests in asks.items() if not requests or requests & allowed)
    return frozenset(name for name in usable if profile is Profile.FULL or name in SHORT)


@dataclass(frozen=True)
class Tooling:
    """What every tool of a server has in common: the client and the profile of whoever calls it."""

    client_of: ClientOf
    profile_of: ProfileOf
    asks: Mapping[str, frozenset[str]]

    def lists(self, profile: Profile, role: str) -> frozenset[str]:
        """The tools that a session lists, by their names."""
        return listed_names(self.asks, profile, role)


@dataclass(frozen=True)
class Listing:
    """Middleware that answers with the tools of the session in place of all."""

    tooling: Tooling
    listed: Callable[[Profile, str], list[dict[str, Any]]]

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a message."""
        answer = await call_next(ctx)
        if ctx.method != "tools/list" or not isinstance(answer, dict):
            return answer
        context: Context[Any, Any] = Context(request_context=ctx)
        async with self.tooling.client_of(context) as client:
            return {**answer, "tools": self.listed(self.tooling.profile_of(context), client.role)}


def with_usable_steps(told: Any, names: frozenset[str]) -> Any:
    """What a tool gives, whose next steps name only tools that the session lists."""
    steps = getattr(told, "next", None)
    if not isinstance(told, BaseModel) or not isinstance(steps, list):
        return told
    return told.model_copy(update={"next": [step for step in steps if step.tool in names]})
