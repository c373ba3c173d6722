"""Pages for people with browsers, and what goes wrong told as a page too.

A route of a router with `PageRoute` asks for `Caller` like any other; who is not signed in is led to the sign-in and
comes back.
"""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from typing import Annotated, Any, Literal, Self
from urllib.parse import parse_qsl, quote

from fastapi import FastAPI, Request, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from pydantic import AfterValidator, BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse
from stemma_contracts import problems
from stemma_contracts.v1.answers import Problem

from .catalogues import LANGUAGES, WRITTEN_IN, sentence, words
from .cookies import UNATTENDED
from .delivery import address
from .problems import Invalid, ProblemDetails, Unauthenticated, answered, note_failure, problem_of, response_of

SETTINGS = "stemma-settings"
"""The cookie that holds `Settings`."""
MOST_MOVED, LAST_KEY = 100, 0xFFFF


def _check_moved(moved: str) -> str:
    named = sorted(moved[::2])
    if named != sorted(moved[1::2]) or len({*named}) < len(named) or len(named) > MOST_MOVED:
        raise ValueError("a key changes its place with one other")
    if not all(key.isprintable() and not key.isspace() and ord(key) <= LAST_KEY for key in named):
        raise ValueError("a key writes one character")
    return moved


class Settings(BaseModel):
    """How a browser shows pages; empty: as it asks for them itself."""

    theme: Literal["", "light", "dark"] = ""
    language: Literal["", "en", "de"] = ""
    keys: Literal["", "off"] = ""
    moved: Annotated[str, AfterValidator(_check_moved)] = ""
    """Keys that have changed places, in pairs: what a key does by default, and the one that does it now."""

    def with_key(self, default: str, key: str) -> Self:
        """What a key does by default is done by another; what that one did is done by the key that is free now."""
        now = dict(zip(self.moved[::2], self.moved[1::2], strict=True))
        other = next((each for each, moved in now.items() if moved == key), key)
        now |= {other: now.get(default, default), default: key}
        pairs = (f"{one}{moved}" for one, moved in now.items() if one != moved)
        return self.model_validate(self.model_dump() | {"moved": "".join(pairs)})


def settings_of(request: Request) -> Settings:
    try:
        return Settings.model_validate(dict(parse_qsl(request.cookies.get(SETTINGS, ""))))
    except ValidationError:
        return Settings()


def language_of(request: Request) -> str:
    if chosen := settings_of(request).language:
        return chosen
    for wanted in sorted(request.headers.get("accept-language", "").split(","), key=_dislike):
        if (tag := wanted.partition(";")[0].strip().lower().partition("-")[0]) in LANGUAGES:
            return tag
    return LANGUAGES[0]


def _dislike(wanted: str) -> float:
    try:
        return -float(wanted.partition("q=")[2] or 1)
    except ValueError:
        return 0


ROOT, HOME, SIGN_IN = "/", "/desk", "/sign-in"
MAX_PATH = 2000
SENT_BY_SCRIPT = "idempotency-key"
# What comes from documents is escaped; if some of it were not, it could neither run nor load or send anything. No other
# site may show a page in a frame or get its forms.
SAFE = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Vary": "Accept-Language, Cookie",
}
HTML: dict[str, Any] = {"content": {"text/html": {"schema": {"type": "string"}}}}
STATIC = files("stemma_gateway") / "desk" / "static"
TEMPLATES = Environment(
    loader=PackageLoader("stemma_gateway", "desk/templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""Of all pages; the desk adds its filters."""


@cache
def asset(name: str) -> str:
    return f"/desk/static/{sha256((STATIC / name).read_bytes()).hexdigest()[:16]}/{name}"


TEMPLATES.globals["asset"] = asset


def page(
    request: Request,
    template: str,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    /,
    **about: object,
) -> Response:
    """A page; for nobody who is signed in it has no navigation, and no script."""
    language = language_of(request)
    common: dict[str, object] = {
        "t": words(language),
        "language": language,
        "root": address(request, ""),
        "settings": settings_of(request),
        "user": getattr(request.state, "user", ""),
        "waiting": None,
        "renewed": False,
        "may": (),
        "refused": "",
        "result": None,
        "unplaced": (),
    }
    content = TEMPLATES.get_template(template).render(common | about)
    return HTMLResponse(content, status, {**SAFE, **(headers or {})})


def reads_pages(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def is_unattended(request: Request) -> bool:
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
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        route = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await route(request)
            except Exception as error:
                if not reads_pages(request):
                    raise
                return _told(request, error)

        return answer


def handle_errors(app: FastAPI) -> None:
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
    return page(request, "problem.html", HTTPStatus(problem.status), headers, **about)


FOREIGN = "reason"
"""The parameter that holds words of others, which are in `WRITTEN_IN`."""
WORDED = ("bound", "lapse", "outcome", "role")
"""The parameters that hold a word of ours, which the catalogues have as ``NAME_VALUE``."""


@dataclass(frozen=True)
class Reason:
    """One thing that is wrong: what people call the field, empty where the words say it, and the words as HTML."""

    field: str
    words: Markup


def reasons(problem: ProblemDetails, language: str) -> tuple[Reason, ...]:
    whole = Problem(field="", message=problem.detail, code=problem.code, params=problem.params)
    return tuple(_reason(each, language) for each in problem.problems or (whole,))


def reasons_shown(problem: ProblemDetails, language: str) -> Markup:
    return Markup("; ").join(_shown(reason) for reason in reasons(problem, language))


def problem_shown(problem: Problem, language: str) -> Markup:
    return _shown(_reason(problem, language))


def title_of(problem: ProblemDetails, language: str) -> str:
    return words(language).get(f"status_{problem.status}", problem.title)


def _reason(problem: Problem, language: str) -> Reason:
    planned = problem.field.removeprefix("body").removeprefix(".")
    field = words(language).get(f"field_{planned.rpartition('.')[2]}", "") or planned
    if language == WRITTEN_IN:
        return Reason(field, escape(problem.message))
    template = sentence(problem.code, problem.params, language)
    if not template:
        return Reason(field, _foreign(problem.message))
    foreign = {FOREIGN: _foreign(str(problem.params[FOREIGN]))} if FOREIGN in problem.params else {}
    params = {name: _param(name, value, language) for name, value in problem.params.items()}
    said = escape(template).format_map({**params, **foreign})
    is_sentence = said[:1].isupper() or not said[:1].isalpha()
    return Reason("" if is_sentence and not foreign else field, said)


def _param(name: str, value: problems.Param, language: str) -> problems.Param:
    return words(language).get(f"{name}_{value}", value) if name in WORDED else value


def _foreign(said: str) -> Markup:
    return Markup('<bdi lang="{}">{}</bdi>').format(WRITTEN_IN, said)


def _shown(reason: Reason) -> Markup:
    field = Markup("{}: ").format(reason.field) if reason.field else ""
    return Markup("{}{}").format(field, reason.words)
