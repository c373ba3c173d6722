"""The answer to a request, by its task."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .company import contribution, role_facts, synthesis
from .composing import compose
from .design import design_draft, is_design
from .evaluation import evaluate
from .filling import Facts, fill
from .repair import repaired
from .request import Request
from .reviewing import final_facts, review_facts
from .revision import revise
from .structured import section_facts

_FACTS: Mapping[str, Callable[[Request], Facts]] = {
    "role analysis": role_facts,
    "review": review_facts,
    "final document": final_facts,
}

_TEXTS: Mapping[str, Callable[[Request], str]] = {"contribution": contribution, "synthesis": synthesis}


def written_answer(request: Request) -> str:
    """The answer as text: a section in Markdown, or its last draft with the issues settled."""
    if request.task == "evaluation":
        return evaluate(request).feedback
    if request.task == "revision":
        return revise(request).summary
    if request.previous and request.issues:
        return repaired(request)
    if request.task in _TEXTS:
        return _TEXTS[request.task](request)
    return design_draft(request) if is_design(request) else compose(request).markdown


def structured_answer(request: Request, schema: dict[str, Any]) -> str:
    """The answer as JSON that fits a schema."""
    return json.dumps(fill(schema, _facts(request, str(schema.get("title", "")))), ensure_ascii=False)


def _facts(request: Request, schema_name: str) -> Facts:
    if request.task == "revision":
        return revise(request).facts
    if request.task == "evaluation":
        return evaluate(request).facts
    if request.task in _FACTS:
        return _FACTS[request.task](request)
    return section_facts(request, schema_name)
