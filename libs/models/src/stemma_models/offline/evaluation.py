"""Scores of a draft by criterion, from what can be counted in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from .material import Unit, read_units
from .request import Request
from .sentences import split_sentences
from .words import content_stems, join_words, words_of

_NUMBER = re.compile(r"\d")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_OPEN = re.compile(r"\b(?:open|not yet|not known|unknown|decisions?|no part|to be agreed|gains?|tested)\b|\?", re.I)
_GOOD = 0.75
_BEST = 0.97


@dataclass(frozen=True)
class Draft:
    """A draft with what is measured on it."""

    text: str
    units: tuple[Unit, ...]
    request: Request

    @cached_property
    def stems(self) -> set[str]:
        return set(content_stems(self.text))

    @cached_property
    def sentences(self) -> list[str]:
        return [sentence for unit in self.units for sentence in unit.sentences]

    @cached_property
    def measured(self) -> dict[str, float]:
        """Every measure by its label, 0 to 1."""
        return {label: measure(self) for _, label, measure in _MEASURES}


@dataclass(frozen=True)
class Verdict:
    """Scores by criterion, 0 to 1, and the feedback in words."""

    scores: dict[str, float]
    feedback: str

    @property
    def facts(self) -> dict[str, object]:
        return {"scores": self.scores, "feedback": self.feedback, "summary": self.feedback}


def evaluate(request: Request) -> Verdict:
    """The scores of the draft in the request, with two to four sentences on the weakest criteria."""
    draft = Draft(request.draft, read_units("", request.draft), request)
    scores = {name: _score(draft, f"{name} {text}") for name, text in request.criteria}
    return Verdict(scores, _feedback(draft, scores))


def _brief_terms(draft: Draft) -> float:
    return _found(draft.request.lexicon.terms([draft.request.brief], 12), draft.stems, enough=0.5)


def _upstream_terms(draft: Draft) -> float:
    texts = [section.text for section in draft.request.upstream]
    return _found(draft.request.lexicon.terms(texts, 12), draft.stems, enough=0.4) if texts else _brief_terms(draft)


def _found(terms: list[str], stems: set[str], *, enough: float) -> float:
    if not terms:
        return 1.0 if stems else 0.0
    hits = sum(bool(set(content_stems(term)) & stems) for term in terms)
    return min(1.0, hits / (len(terms) * enough))


def _length(draft: Draft) -> float:
    return min(1.0, len(words_of(draft.text)) / 180)


def _headings(draft: Draft) -> float:
    present = {line.lstrip("#").strip().lower() for line in draft.text.splitlines() if line.startswith("#")}
    required = [name.lower() for name in draft.request.headings]
    share = sum(name in present for name in required) / len(required) if required else 1.0
    return share * min(1.0, len(present) / 3)


def _figures(draft: Draft) -> float:
    lines = [*draft.sentences, *(row for unit in draft.units if unit.table for row in map(" ".join, unit.table.rows))]
    return min(1.0, sum(bool(_NUMBER.search(line)) for line in lines) / 4)


def _readable(draft: Draft) -> float:
    lengths = [len(sentence.split()) for sentence in draft.sentences]
    if not lengths:
        return 0.0
    return max(0.3, min(1.0, 1.6 - sum(lengths) / len(lengths) / 40))


def _grounded(draft: Draft) -> float:
    """The share of the figures in the draft that stand in the material."""
    request = draft.request
    sources = [request.brief, *(text for _, text in request.inputs), *(section.text for section in request.upstream)]
    known = {figure for text in sources for figure in _FIGURE.findall(text)}
    found = [figure for figure in _FIGURE.findall(draft.text) if len(figure) > 1]
    return (
        sum(figure.removesuffix(".00") in known or figure in known for figure in found) / len(found) if found else 0.9
    )


def _open_points(draft: Draft) -> float:
    return 1.0 if _OPEN.search(draft.text) else 0.7


_MEASURES: tuple[tuple[str, str, Callable[[Draft], float]], ...] = (
    (r"brief|relevan|need|cover|answer|scope|problem|fit\b|purpose|focus", "the key terms of the brief", _brief_terms),
    (
        r"upstream|consisten|build|depend|connect|link|follow",
        "the terms of the sections that it rests on",
        _upstream_terms,
    ),
    (r"structur|heading|organi|order|complete|part|step|phase|milestone", "the headings asked for", _headings),
    (r"specific|concrete|measur|date|deadline|urgen|number|persua", "figures and dates", _figures),
    (
        r"ground|accura|fact|invent|trace|source|amount|evidence|limit|feasib",
        "figures that the material holds",
        _grounded,
    ),
    (r"clear|clarity|read|concise|brevity|language|plain|style|tone", "short sentences", _readable),
    (r"length|thorough|detail|depth|substan", "length", _length),
    (r"open|honest|gap|condition|outcome|next_step|decid", "what stays open or is to be decided", _open_points),
)


def _labels_for(criterion: str) -> list[str]:
    """What is measured for a criterion: what its words name, or everything."""
    named = [label for pattern, label, _ in _MEASURES if re.search(pattern, criterion, re.I)]
    return named or [label for _, label, _ in _MEASURES]


def _score(draft: Draft, criterion: str) -> float:
    if not draft.sentences:
        return 0.0
    values = [draft.measured[label] for label in _labels_for(criterion)]
    return round(_BEST * (0.8 * sum(values) / len(values) + 0.2 * _length(draft)), 2)


def _feedback(draft: Draft, scores: dict[str, float]) -> str:
    title = draft.request.section.title
    if not draft.sentences:
        return f"The draft of the section {title} holds no sentences. It has to be written again."
    count = len(split_sentences(" ".join(draft.sentences)))
    said = f"The draft of the section {title} has {len(words_of(draft.text))} words in {count} sentences."
    ranked = sorted(scores, key=lambda name: (scores[name], name))
    advice = [sentence for name in ranked[:2] if (sentence := _advice(draft, name, scores[name]))]
    if not advice and ranked:
        advice = [f"No criterion falls behind; the lowest mark is {scores[ranked[0]]:.2f} for {_spoken(ranked[0])}."]
    return " ".join([said, *advice])


def _advice(draft: Draft, name: str, score: float) -> str:
    criterion = f"{name} {dict(draft.request.criteria).get(name, '')}"
    low = [label for label in _labels_for(criterion) if draft.measured[label] < _GOOD]
    return f"On {_spoken(name)} it reaches {score:.2f}: look at {join_words(low[:2])}." if low else ""


def _spoken(name: str) -> str:
    return name.replace("_", " ")
