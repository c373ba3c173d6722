"""Whether a text would be made otherwise today: with another model, prompt or criteria."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from pydantic import ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1.capabilities import Capabilities, DocumentKind
from stemma_contracts.v1.provenance import Provenance

if TYPE_CHECKING:
    from stemma_contracts.v1.views import SectionView

Recipes = Mapping[str, Capabilities]
"""What each agent can do, by its name."""

_AGENTS = (subjects.GENERATION, subjects.EDITOR)
_PARTS = {"model": "model", "prompt": "prompt_digest", "criteria": "criteria_digest"}
_DEFAULT = "default"


async def read_recipes(jetstream: JetStreamContext) -> Recipes:
    """What the agents told when they started last; one that never did, or not to be read, is missing."""
    found = {agent: await _told(jetstream, agent) for agent in _AGENTS}
    return {agent: capabilities for agent, capabilities in found.items() if capabilities is not None}


async def _told(jetstream: JetStreamContext, agent: str) -> Capabilities | None:
    subject = f"$KV.{subjects.CAPABILITIES_BUCKET}.{agent}"
    try:
        message = await jetstream.get_last_msg(f"KV_{subjects.CAPABILITIES_BUCKET}", subject, direct=True)
    except NotFoundError:
        return None
    try:
        return Capabilities.model_validate_json(message.data or b"{}")
    except ValidationError:
        return None


async def read_kinds(jetstream: JetStreamContext) -> tuple[DocumentKind, ...]:
    """The document kinds that can be asked for, as the orchestrator told when it started last."""
    told = await _told(jetstream, subjects.ORCHESTRATOR)
    return told.kinds if told else ()


def models_in(recipes: Recipes) -> list[str]:
    """The models that drafts would be made with now."""
    made = (made for agent in recipes.values() for kinds in agent.recipes.values() for made in kinds.values())
    return sorted({one.model for one in made if one.model})


def outdated_recipe(section: SectionView, recipes: Recipes) -> tuple[str, ...]:
    """What differs between how the current version was made and how it would be made now.

    Of ``model``, ``prompt`` and ``criteria``; nothing for a person's text. It makes nothing stale.
    """
    made = section.current.provenance if section.current else None
    today = _recipe(section, made, recipes) if made else None
    if made is None or today is None:
        return ()
    return tuple(part for part, field in _PARTS.items() if _differs(getattr(made, field), getattr(today, field)))


def _differs(made: str | None, today: str | None) -> bool:
    """What was not noted when the text was made is no difference."""
    return bool(made) and made != today


def _recipe(section: SectionView, made: Provenance, recipes: Recipes) -> Provenance | None:
    agent = recipes.get(made.agent_version.partition("/")[0], Capabilities())
    by_kind = agent.recipes.get(section.graph) or agent.recipes.get(_DEFAULT) or {}
    return by_kind.get(section.kind) or by_kind.get(_DEFAULT)
