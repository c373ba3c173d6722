"""What Schemathesis is told beyond the OpenAPI, loaded by it under the name in SCHEMATHESIS_HOOKS."""

import re
from typing import Any

import schemathesis

FORM = "multipart/form-data"
BY_SCHEMA = re.compile(r"[A-Z]\w+ (should|required|inputs|JSON)\b")
"""So begins what Pydantic says of a schema; a rule between fields, which stands in a description, has its own words."""


@schemathesis.serializer("application/partial-upload")
def piece(context: Any, value: Any) -> bytes:
    """A piece of a file is sent as it is."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """HTTP allows headers that nobody knows; to have one is no mistake."""
    return not any(name.lower() == "x-schemathesis-unknown-property" for name in case.headers or ())


@schemathesis.check
def refused_for_a_reason_beyond_the_schema(context: Any, response: Any, case: Any) -> None:
    """What fits the schema is refused only by a rule that is told in words, by the orchestrator, or by what is there.

    Beside the check of Schemathesis, which takes 400 and 422 for an answer as well: see `schemathesis.toml`. In a form
    some fields are JSON, and Schemathesis does not read the schema of such content.
    """
    fits = case.meta is not None and case.meta.generation.mode.is_positive and case.media_type != FORM
    if not fits or response.status_code not in (400, 422):
        return
    said = response.json()
    kind = said["type"].removeprefix("urn:stemma:problem:")
    words = [problem["message"] for problem in said.get("problems", ())]
    ruled = kind == "invalid" and (not words or not all(BY_SCHEMA.match(each) for each in words))
    assert ruled or kind in ("rejected", "bad-header"), f"fits the schema, and is refused: {said['detail']}"
