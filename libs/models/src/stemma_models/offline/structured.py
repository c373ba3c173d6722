"""A composed section by the field names of the structured kinds; any other schema gets general names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from .composing import Composition, Part, compose
from .costs import CostTable, amounts_in, currency_of, find_costs
from .phrases import source_name
from .plain import bare, safe
from .recap import GENERAL_HEADINGS, GOALS, goals, upstream_parts
from .request import Request
from .selection import Selection, drawn, select, share_of, without_unit
from .words import content_stems, join_words, stems_of
from .writing import tidy_item

LONGEST_LINE = 280
_MOST_LINKS = 7
_MOST_GAPS = 3
_OFTEN = 4
_SHARED = 5
_SAID = 0.25
# Headings that the renderers of the structured kinds write themselves.
_OWN_HEADINGS = {
    "Research": {"findings", "open questions"},
    "Solution": {"what we propose", "what the client gains"},
    "Connections": {"from need to solution", "what remains open"},
    "Budget": {"costs", "assumptions"},
}
_OPEN = re.compile(
    r"\b(?:not (?:yet )?(?:been )?known|unknown|unclear|not yet|undecided|(?:still|remains?) open|hardly reached)\b",
    re.I,
)
_ASSUMED = re.compile(r"\b(?:assum\w+|rests? on|includes?|included|valid|excluding|not been quoted|nothing is)\b", re.I)


def section_facts(request: Request, schema_name: str) -> dict[str, Any]:
    """What the fields of a section's schema are filled from."""
    own = _OWN_HEADINGS.get(schema_name, set())
    request = replace(request, headings=tuple(name for name in request.headings if name.lower() not in own))
    match schema_name:
        case "Research":
            return _research(request)
        case "Solution":
            return _solution(request)
        case "Connections":
            return _connections(request)
        case "Budget":
            return _budget(request)
        case _:
            return _general(compose(request))


def _research(request: Request) -> dict[str, Any]:
    selection, questions = drawn(select(request), _OPEN, LONGEST_LINE)
    composition = compose(request, selection, cites=False)
    findings = _parts(composition.parts) or [_nothing_found(request)]
    return {**_summary(composition), "findings": findings, "open_questions": [safe(line) for line in questions]}


def _nothing_found(request: Request) -> dict[str, Any]:
    return {
        "heading": "State of the material",
        "text": f"No input was given for {safe(request.section.title)}.",
        "sources": [],
    }


def _solution(request: Request) -> dict[str, Any]:
    selection, outcomes = _without_goals(select(request))
    composition = compose(request, selection)
    used: set[str] = set()
    wanted = {name.lower() for name in request.headings}
    parts = [part for part in composition.parts if part.heading.lower() not in wanted]
    components = [
        {"name": part.heading, "description": part.text, "answers": _answered(part, request, used)} for part in parts
    ]
    extra = [part for part in composition.parts if part.heading.lower() in wanted]
    if not components:
        components = [{"name": "The proposal as a whole", "description": composition.summary, "answers": "the brief"}]
        return {"summary": f"The solution follows the brief on {request.section.title}.", "components": components}
    return {**_summary(composition), "components": components, "outcomes": outcomes, "parts": _parts(extra)}


def _without_goals(selection: Selection) -> tuple[Selection, list[str]]:
    for group in selection.groups:
        for unit in group.units:
            if unit.kind == "list" and GOALS.search(f"{unit.heading} {unit.lead}"):
                outcomes = [safe(tidy_item(item, whole=True)) for item in unit.sentences if len(item) <= LONGEST_LINE]
                return without_unit(selection, unit), outcomes
    return selection, []


def _answered(part: Part, request: Request, used: set[str]) -> str:
    """What of the brief or of an upstream section a part of the solution takes up; nothing is named twice."""
    lexicon, stems = request.lexicon, set(content_stems(part.text))
    if request.material.of_tender and part.source:
        return bare(_asked(part))
    terms = [term for term in _terms(request) if term not in used and set(content_stems(term)) <= stems][:2]
    found = [] if terms else _found_upstream(stems, request, used)
    used.update(terms, found)
    if terms:
        return bare(f"what the brief asks about {join_words([lexicon.with_article(term) for term in terms])}")
    return bare(found[0] if found else _asked(part))


def _asked(part: Part) -> str:
    if not part.source:
        return "the brief as a whole"
    return f"what is asked for in {source_name(part.source)} under “{part.heading}”"


def _found_upstream(stems: set[str], request: Request, used: set[str]) -> list[str]:
    near = [
        (len(stems & words), f"what {upstream.title} reports under “{heading}”")
        for upstream in request.upstream
        for heading, words in upstream_parts(upstream)
    ]
    best = sorted((entry for entry in near if entry[0] >= _SHARED and entry[1] not in used), reverse=True)
    return [said for _, said in best[:1]]


def _connections(request: Request) -> dict[str, Any]:
    composition = compose(request)
    links, gaps = _trace(request, composition)
    return {**_summary(composition), "links": links, "gaps": gaps, "parts": _parts(composition.parts)}


def _trace(request: Request, composition: Composition) -> tuple[list[dict[str, str]], list[str]]:
    """What the brief wants, where the solution takes it up, and which input speaks of it."""
    answers = [part for upstream in request.upstream for part in upstream_parts(upstream)]
    answers += [(part.heading, set(content_stems(part.text))) for part in composition.parts]
    answers = [(heading, words) for heading, words in answers if heading.lower() not in GENERAL_HEADINGS]
    links, gaps = [], []
    for need in _needs(request):
        stems = set(content_stems(need))
        if heading := _nearest(stems, answers):
            evidence = _nearest(stems, [(source_name(name), stems_of(text)) for name, text in request.inputs])
            links.append({"need": bare(need), "answer": bare(heading), "evidence": bare(evidence or "the brief")})
        else:
            gaps.append(safe(f"No part of the solution takes this up yet: {request.lexicon.lowered(need)}."))
    return links[:_MOST_LINKS] or [_no_link(request)], gaps[:_MOST_GAPS]


def _nearest(stems: set[str], texts: Sequence[tuple[str, AbstractSet[str]]]) -> str:
    """The name of the text that says most of what the stems say; none if it says hardly any of it."""
    shares = [(len(stems & words) / len(stems), name) for name, words in texts] if stems else []
    share, name = max(shares, key=lambda entry: entry[0], default=(0.0, ""))
    return name if share >= _SAID else ""


def _needs(request: Request) -> list[str]:
    """What the brief lists as to be reached, else the terms in it that are more than a common word."""
    lists = [unit for unit in request.brief_units if unit.kind == "list"]
    items = goals(request) or [item.rstrip(" .;,") for unit in lists for item in unit.sentences]
    short = [item for item in items if len(item) <= LONGEST_LINE]
    return short or [request.lexicon.with_article(term) for term in _terms(request)]


def _terms(request: Request) -> list[str]:
    lexicon = request.lexicon
    return [
        term
        for term in lexicon.terms([request.brief], 24)
        if " " in term or term[0].isupper() or lexicon.counts[term.lower()] >= _OFTEN
    ]


def _no_link(request: Request) -> dict[str, str]:
    title = request.upstream[0].title if request.upstream else "not settled yet"
    return {"need": "The brief as a whole", "answer": bare(title), "evidence": "the brief"}


def _budget(request: Request) -> dict[str, Any]:
    selection = select(request)
    table = find_costs([*share_of(request), *request.brief_units])
    if table:
        selection = without_unit(selection, table.unit)
    selection, assumed = drawn(selection, _ASSUMED, LONGEST_LINE)
    composition = compose(request, selection)
    return {
        **_summary(composition),
        "currency": currency_of([request.brief, *(text for _, text in request.inputs)]),
        "items": _items(table) if table else _unpriced(request),
        "total": table.total if table else None,
        "assumptions": [safe(line) for line in assumed],
        "parts": _parts(composition.parts),
    }


def _items(table: CostTable) -> list[dict[str, Any]]:
    source = table.unit.source or "the brief"
    return [
        {"item": bare(cost.item), "basis": bare(cost.basis or source), "amount": cost.amount} for cost in table.costs
    ]


def _unpriced(request: Request) -> list[dict[str, Any]]:
    """The work without a price: what the material says of money is quoted, and nothing is made of it."""
    named = list(dict.fromkeys(amounts_in([request.brief, *(unit.text for unit in share_of(request))])))[:3]
    basis = f"no prices by item; the material names {join_words(named)}" if named else "the material gives no amount"
    return [{"item": "The work as described", "basis": bare(basis), "amount": None}]


def _summary(composition: Composition) -> dict[str, Any]:
    return {"title": composition.title, "summary": composition.summary or safe(composition.title)}


def _parts(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Parts with their sources; of parts in a row from one input the last one names it."""
    following = [*(part.source for part in parts[1:]), ""]
    return [
        {"heading": part.heading, "text": part.text, "sources": [part.source] if part.source not in ("", after) else []}
        for part, after in zip(parts, following, strict=False)
    ]


def _general(composition: Composition) -> dict[str, Any]:
    sources = list(dict.fromkeys(part.source for part in composition.parts if part.source))
    points = [part.heading for part in composition.parts]
    return {
        **_summary(composition),
        "parts": [{**part, "source": "".join(part["sources"])} for part in _parts(composition.parts)],
        "sources": sources,
        "points": points,
        "questions": [],
        "text": composition.markdown,
    }
