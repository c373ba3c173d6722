"""What the OpenAPI of the gateway says beside its routes."""

from functools import cache, partial
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from .bodies import CreateBody
from .problems import MEDIA_TYPE, ProblemDetails

VERSION = "0.2.0"
ABOUT: dict[str, Any] = {
    "summary": "Long documents, written by language models and people",
    "license_info": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    "docs_url": None,
    "redoc_url": None,
    "swagger_ui_oauth2_redirect_url": None,
}
PROBLEMS = ("400", "401", "403", "404", "408", "409", "410", "413", "415", "422", "429", "500", "503")
PAGE = "text/html"
_REF = "#/components/schemas/{model}"
_OF_FASTAPI = ("HTTPValidationError", "ValidationError")


def name_of(route: APIRoute) -> str:
    return route.name


def describe(app: FastAPI) -> None:
    app.openapi = cache(partial(_made, app))  # type: ignore[method-assign]


def _given(schema: dict[str, Any]) -> dict[str, Any]:
    [*kinds] = (kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"})
    return {**{k: v for k, v in schema.items() if k != "anyOf"}, **kinds[0]} if len(kinds) == 1 else schema


def _made(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        license_info=app.license_info,
        routes=app.routes,
        openapi_version=app.openapi_version,
    )
    components = document["components"]
    for model in (ProblemDetails, CreateBody):
        schema = model.model_json_schema(ref_template=_REF)
        components["schemas"] |= schema.pop("$defs", {}) | {schema["title"]: schema}
    for name in _OF_FASTAPI:
        components["schemas"].pop(name, None)
    content = {MEDIA_TYPE: {"schema": {"$ref": _REF.format(model="ProblemDetails")}}}
    components["responses"] = {"Problem": {"description": "What went wrong, and in which fields.", "content": content}}
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                parameter["schema"] = _given(parameter["schema"])
            operation["responses"] |= {
                status: _problem(operation["responses"].get(status), content) for status in PROBLEMS
            }
    return document


def _problem(told: dict[str, Any] | None, content: dict[str, Any]) -> dict[str, Any]:
    """What went wrong; some routes say it as a page, too."""
    if told is None or PAGE not in told.get("content", {}):
        return {"$ref": "#/components/responses/Problem"}
    return {**told, "content": {PAGE: told["content"][PAGE], **content}}
