"""Pages for people with browsers: plain HTML without any script, and what goes wrong told as a page too.

A route of a router with `PageRoute` asks for `Caller` like any other; who is not signed in is led to the sign-in and
comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse
from stemma_contracts.v1.answers import Problem

from .cookies import UNATTENDED
from .delivery import address
from .languages import LANGUAGES, language_of, words
from .problems import Invalid, Unauthenticated, answered, note_failure, problem_of, response_of
from .refusals import reasons_shown, title_of

HOME, SIGN_IN = "/", "/sign-in"
MAX_PATH = 2000
SENT_BY_SCRIPT = "idempotency-key"
# Nothing is loaded from elsewhere, nothing runs, and no other site may show a page of ours in a frame or get its forms.
_SAFE = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Vary": "Accept-Language",
}
HTML: dict[str, Any] = {"content": {"text/html": {"schema": {"type": "string"}}}}


def page(
    request: Request,
    template: str,
    status: HTTPStatus = HTTPStatus.OK,
    headers: dict[str, str] | None = None,
    language: str = LANGUAGES[0],
    **shown: object,
) -> Response:
    """A page; everything shown is escaped."""
    common = {"root": address(request, ""), "language": language, "t": words(language)}
    content = _templates().get_template(template).render(**common, **shown)
    return HTMLResponse(content, status, {**_SAFE, **(headers or {})})


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("stemma_gateway"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


def reads_pages(request: Request) -> bool:
    """Whether the caller wants a page: a browser says so, a program does not."""
    return "text/html" in request.headers.get("accept", "")


def is_unattended(request: Request) -> bool:
    """Whether a page that is open asks by itself, and nobody who looks at it."""
    return UNATTENDED in request.headers


def led_to(request: Request, path: str) -> Response:
    """Have a browser go on to another page of the gateway: a script that sent the request goes on by itself."""
    location = address(request, path)
    if SENT_BY_SCRIPT in request.headers:
        return Response(None, HTTPStatus.NO_CONTENT, {"Location": location})
    return RedirectResponse(location, HTTPStatus.SEE_OTHER)


def local(path: str) -> str:
    """A path to come back to, which is one of this gateway; raises `Invalid` for any other address."""
    if len(path) > MAX_PATH or not path.startswith("/") or path.startswith("//"):
        raise Invalid(Problem.of("path_invalid", "next"))
    if "\\" in path or not path.isprintable():
        raise Invalid(Problem.of("path_invalid", "next"))
    return path


class PageRoute(APIRoute):
    """A route whose errors are pages for those who read pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        route = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await route(request)
            except Exception as error:
                if not reads_pages(request):
                    raise
                return _told(request, error)

        return answer


def told_by(app: FastAPI) -> None:
    """Have an application answer those who read pages with one also where it has no such address."""

    async def answer(request: Request, error: Exception) -> Response:
        return _told(request, error) if reads_pages(request) else await answered(request, error)

    app.add_exception_handler(HTTPException, answer)


def _told(request: Request, error: Exception) -> Response:
    if isinstance(error, Unauthenticated) and request.method == "GET" and not is_unattended(request):
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return led_to(request, f"{SIGN_IN}?next={quote(here, safe='')}")
    plain, problem = response_of(error), problem_of(error)
    note_failure(error)
    headers = {name: plain.headers[name] for name in ("Retry-After",) if name in plain.headers}
    language = language_of(request)
    about = {"title": title_of(problem, language), "why": reasons_shown(problem, language)}
    return page(request, "problem.html", HTTPStatus(problem.status), headers, language, **about)
