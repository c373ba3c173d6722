"""The answer to a request, by its task."""

from __future__ import annotations

import json
from typing import Any

from .composing import compose
from .evaluation import evaluate
from .filling import Facts, fill
from .repair import repaired
from .request import Request
from .revision import revise
from .structured import section_facts


def written_answer(request: Request) -> str:
    """The answer as text: a section in Markdown, or its last draft with the issues settled."""
    if request.task == "evaluation":
        return evaluate(request).feedback
    if request.task == "revision":
        return revise(request).summary
    if request.previous and request.issues:
        return repaired(request)
    return compose(request).markdown


def structured_answer(request: Request, schema: dict[str, Any]) -> str:
    """The answer as JSON that fits a schema."""
    return json.dumps(fill(schema, _facts(request, str(schema.get("title", "")))), ensure_ascii=False)


def _facts(request: Request, schema_name: str) -> Facts:
    if request.task == "revision":
        return revise(request).facts
    if request.task == "evaluation":
        return evaluate(request).facts
    return section_facts(request, schema_name)
