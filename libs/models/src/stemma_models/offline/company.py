"""Roles for a request, and one text out of what several roles wrote."""

from __future__ import annotations

import re
from typing import Any

from .composing import compose
from .phrases import capital
from .plain import bare, safe
from .request import Request
from .words import content_stems, join_words

MOST_ROLES = 3
_LEAST_WORDS = 8
_HEADING = re.compile(r"^(#{1,5})(?=[ \t])", re.MULTILINE)
_TITLE = re.compile(r"\A\s*#[ \t]+[^\n]*\n*")


def role_facts(request: Request) -> dict[str, Any]:
    """A role for each of the subjects that the material is about; none if the brief names hardly any."""
    subjects = _subjects(request) if len(content_stems(request.brief)) >= _LEAST_WORDS else []
    if len(subjects) < 2:
        return {"identified_roles": [], "reasoning": "The request does not say enough to tell who should write."}
    roles = [_role(subject, number) for number, subject in enumerate(subjects, 1)]
    named = join_words([bare(subject) for subject in subjects])
    return {
        "identified_roles": roles,
        "reasoning": f"The material speaks of {named}. Each is looked at by somebody who knows about it.",
    }


def _subjects(request: Request) -> list[str]:
    """The headings that the inputs begin with, else the key terms of the brief."""
    first = {unit.source: unit.heading for unit in reversed(request.units) if unit.heading}
    headings = list(dict.fromkeys(first[name] for name, _ in request.inputs if name in first))
    return (headings if len(headings) > 1 else request.lexicon.terms([request.brief], MOST_ROLES))[:MOST_ROLES]


def _role(subject: str, number: int) -> dict[str, Any]:
    return {
        "id": re.sub(r"[^a-z0-9]+", "_", subject.lower()).strip("_")[:48] or f"role_{number}",
        "name": capital(bare(subject)),
        "description": f"Knows what the material says about {bare(subject)}.",
        "prompt_template": "Write what matters for {user_request} from this perspective: {perspective}.",
        "perspective": f"{bare(subject)}, and what follows from it",
        "priority": number,
        "confidence": 0.8,
    }


def contribution(request: Request) -> str:
    """What one role has to say: its share of the material, without an opening."""
    parts = compose(request).parts
    blocks = [f"# {safe(request.section.title)}"]
    for part in parts:
        blocks += [f"## {safe(part.heading)}", *part.body] if len(parts) > 1 else part.body
    if not parts:
        blocks.append(f"The material holds nothing more about {safe(request.section.title)}.")
    return "\n\n".join(blocks) + "\n"


def synthesis(request: Request) -> str:
    """The contributions in their order under one title, each under its subject; nothing is said twice."""
    blocks = [f"# {safe(request.section.title)}", *_opening(request)]
    seen: set[str] = set(blocks)
    for contribution in request.upstream:
        body = _HEADING.sub(r"\1#", _TITLE.sub("", contribution.text)).strip()
        fresh = [part for part in body.split("\n\n") if part not in seen]
        seen.update(fresh)
        blocks += [f"## {safe(contribution.title)}", *fresh] if fresh else []
    return "\n\n".join(blocks) + "\n"


def _opening(request: Request) -> list[str]:
    units = [unit for unit in request.brief_units if unit.kind == "paragraph"]
    return [safe(" ".join(units[0].sentences))] if units else []
