"""What all pages of the desk have: a policy, the words of the reader's language, and who is signed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from mimetypes import guess_extension

from fastapi import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from stemma_gateway.delivery import address
from stemma_gateway.languages import language_of, words
from stemma_gateway.problems import problem_of
from stemma_gateway.refusals import problem_shown, reasons_shown
from stemma_gateway.sessions import Session

from .assets import asset
from .found import name_of
from .staleness import mark_words, reason_words, stale_words

UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))
# What comes from documents is escaped; if some of it were not, it could neither run nor load or send anything.
SAFE = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Vary": "Accept-Language",
}


def shown(
    request: Request, session: Session, template: str, *, error: Exception | None = None, **about: object
) -> Response:
    """A page of the desk, with why what it sent was refused, if it was.

    Everything shown is escaped, but for what the renderer of Markdown made.
    """
    language = language_of(request)
    problem = problem_of(error) if error else None
    common = {
        "t": words(language),
        "language": language,
        "root": address(request, ""),
        "user": session.user,
        "waiting": session.followed.waiting.known,
        "renewed": request.method == "GET",
        "refused": reasons_shown(problem, language) if problem else "",
    }
    content = _templates().get_template(template).render(**common, **about)
    return HTMLResponse(content, problem.status if problem else HTTPStatus.OK, SAFE)


def age(since: datetime | None, language: str) -> str:
    """How long something has been so, in the largest unit that fits."""
    seconds = (datetime.now(UTC) - since).total_seconds() if since else 0
    for unit, length in UNITS:
        if seconds >= length:
            return words(language)[unit] % (seconds // length)
    return words(language)["just_now"]


def number(value: int, language: str) -> str:
    """A whole number with its thousands apart."""
    return f"{value:,}".replace(",", "." if language == "de" else ",")


def money(dollars: float, language: str) -> str:
    """A sum of US dollars in cents; what is less than a cent, but something, as less."""
    if 0 < dollars < 0.01:
        return "< 0,01 $" if language == "de" else "< $0.01"
    sum_of_it = f"{dollars:,.2f}"
    return f"{sum_of_it.translate(str.maketrans(',.', '.,'))} $" if language == "de" else f"${sum_of_it}"


def few(lines: Sequence[str], words: Mapping[str, str], most: int = 3) -> list[str]:
    """The first of some lines, and how many more there are."""
    more = len(lines) - most
    return [*lines[:most], words["and_more"] % more] if more > 1 else list(lines)


def is_past(time: datetime) -> bool:
    """Whether a time is over."""
    return time <= datetime.now(UTC)


def format_name(media_type: str) -> str:
    """What people call files of a media type: by the ending that they have."""
    return (guess_extension(media_type) or media_type).removeprefix(".").upper()


@cache
def _templates() -> Environment:
    loader = PackageLoader("stemma_gateway", "desk/templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["asset"] = asset
    environment.filters["age"] = age
    environment.tests["past"] = is_past
    environment.filters["format_name"] = format_name
    environment.filters["few"] = few
    environment.filters["stale_words"] = stale_words
    environment.filters["mark_words"] = mark_words
    environment.filters["reason_words"] = reason_words
    environment.filters["number"] = number
    environment.filters["money"] = money
    environment.filters["criterion"] = name_of
    environment.filters["problem"] = problem_shown
    return environment
