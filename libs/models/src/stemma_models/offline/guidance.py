"""What a person asked for when a section is written again, answered where the reader sees it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .instructions import Add, Form, Mention, Remove, Replace, Shorten, read_instruction
from .phrases import asked_for, point_quoted, source_name
from .plain import plain, safe, without_addresses
from .request import Request
from .sentences import as_sentence, shorten_to_words
from .words import content_stems

_LONGEST = 60
_MOST_POINTS = 6
_ENOUGH = 0.6
_LEADING = re.compile(
    r"^(?:please\s+)?(?:(?:say|tell|write)\s+(?:more|something)\s+(?:about|on)|expand on|focus on|go into|stress|"
    r"explain|emphasi[sz]e|describe|cover|address|take up)\s+",
    re.I,
)


@dataclass(frozen=True)
class Wishes:
    """Guidance by what it asks for: points to take up, a shorter text, things to leave out."""

    points: tuple[str, ...] = ()
    sayings: tuple[str, ...] = ()
    shorter: bool = False
    without: tuple[frozenset[str], ...] = ()

    def excludes(self, sentence: str) -> bool:
        """Whether a sentence speaks of something that is to be left out."""
        stems = set(content_stems(sentence)) if self.without else set()
        return any(words <= stems for words in self.without)


@lru_cache(maxsize=32)
def read_wishes(guidance: str) -> Wishes:
    """The wishes of a guidance. What is none of the known forms is a point to take up in its own words."""
    lines = map(without_addresses, guidance.splitlines())
    forms, others = read_instruction("\n".join(lines))
    points = [*filter(None, map(_point, forms)), *(_LEADING.sub("", plain(text)) for text in others)]
    return Wishes(
        tuple(shorten_to_words(point, _LONGEST) for point in points[:_MOST_POINTS]),
        tuple(form.subject for form in forms if isinstance(form, Mention) and form.whole),
        any(isinstance(form, Shorten) for form in forms),
        tuple(frozenset(content_stems(form.target)) for form in forms if isinstance(form, Remove)),
    )


def _point(form: Form) -> str:
    match form:
        case Add(subject) | Mention(subject, False):
            return subject
        case Replace(old, new):
            return f"{plain(new)} instead of {plain(old)}"
        case _:
            return ""


def answer_guidance(request: Request) -> list[str]:
    """A paragraph for each point of the guidance: what the material says on it, or that it says nothing."""
    wishes = read_wishes(request.guidance)
    said = [as_sentence(saying) for saying in wishes.sayings]
    return [safe(text) for text in (*said, *(_answer(point, request) for point in wishes.points))]


def _answer(point: str, request: Request) -> str:
    title = request.section.title
    found = _best_sentence(point, request)
    if not found:
        return asked_for(point, title)
    sentence, source = found
    return point_quoted(point, title, source_name(source) if source else "the brief", sentence)


def _best_sentence(point: str, request: Request) -> tuple[str, str] | None:
    wanted = set(content_stems(point))
    best: tuple[float, str, str] = (0.0, "", "")
    for unit in (*request.brief_units, *request.units):
        for sentence in unit.sentences:
            share = len(wanted & set(content_stems(sentence))) / max(1, len(wanted))
            if share > best[0]:
                best = (share, sentence, unit.source)
    return (best[1], best[2]) if best[0] >= _ENOUGH else None
