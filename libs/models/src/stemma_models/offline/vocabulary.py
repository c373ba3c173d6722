"""The words that belong to the usual kinds of sections, whatever the document is about."""

from __future__ import annotations

from functools import lru_cache

from .words import content_stems, stem

_WORDS = {
    "research": """research survey interview interviewed finding found figure data study studied measured counted
        respondent percent share average user reader resident population evidence background analysis observation
        observed recorded report statistic sample notes questionnaire respondents history trend""",
    "solution": """solution service requirement system tool design designed feature function equipment vehicle platform
        software equip model provide component product build built operate search interface option capacity load carry
        fit offer hub site station application device""",
    "connections": """connection connect partner partnership stakeholder integrate integration interface link depend
        dependency agreement cooperation coordinate shared together existing connected exchange neighbour council union
        association supplier network access role responsible responsibility school clinic contact authority between""",
    "problem_statement": """problem lack missing cannot difficult difficulty barrier gap challenge decline fell fallen
        lost losing complaint unable limited late wait closed closure far inaccessible burden outdated legacy
        slow unmet excluded trouble pain obstacle worse shortage fail failure loss feel suffer""",
    "approach": """approach method methodology team staff train training test testing pilot step process quality review
        risk safety safe report reporting volunteer manage management agile sprint improve feedback learn practice plan
        measure inspect check maintain maintenance hire recruit rule weather prototype standard""",
    "timeline": """timeline schedule date deadline phase milestone start begin launch week month quarter duration until
        finish complete calendar stage period""",
    "budget": """budget cost price amount payment pay paid invoice fund funding grant money euro dollar pound salary
        wage expense spend spending quote quotation tax vat fee insurance saving annual total contingency rate sponsor
        financial finance ceiling lease rent""",
    "conclusion": """conclusion ask asked need needed matter goal aim benefit outcome vision success succeed successful
        result future hope value believe commitment promise decision decide approve approval agree recommend
        recommendation impact sustain public community worth next permanent objective purpose judged expect""",
    "executive_summary": "summary purpose overview aim goal need value benefit why outcome",
    "risks": "risk hazard threat mitigate mitigation fail failure delay safety contingency insurance uncertain",
    "team": "team staff role experience skill qualification manager lead personnel person train hire",
    "evaluation": "evaluate evaluation measure indicator target success criterion score review report metric",
}


@lru_cache(maxsize=256)
def vocabulary(kind: str, title: str, purpose: str) -> dict[str, float]:
    """Stems with weights for a section: of its title, its purpose and its kind."""
    weights: dict[str, float] = {}
    named = kind if kind in _WORDS else _kind_like(title)
    for text, weight in ((_WORDS.get(named, ""), 1.0), (purpose, 0.15 if named else 0.9), (title, 1.6)):
        for word in content_stems(text):
            weights[word] = max(weights.get(word, 0.0), weight)
    return weights


def _kind_like(title: str) -> str:
    stems = set(content_stems(title))
    for kind in _WORDS:
        if {stem(part) for part in kind.split("_")} <= stems:
            return kind
    return ""


def nature(kind: str, title: str) -> str:
    """The usual kind that a section is most like, or its own kind."""
    return kind if kind in _WORDS else _kind_like(title) or kind


_HEADING_WORDS = {
    "open": "open unknown unclear question undecided missing left known tested price quoted",
    "risk": "risk falls ill ice stolen lose fail failure delay higher threat mitigate mitigation",
    "cost": _WORDS["budget"],
    "mileston": _WORDS["timeline"],
    "step": "decision decide approve next meeting council order begin recommend agree sign ask invite name",
    "problem": _WORDS["problem_statement"],
    "find": _WORDS["research"],
    "work": _WORDS["approach"],
    "propos": _WORDS["solution"],
    "outcom": _WORDS["conclusion"],
}


@lru_cache(maxsize=256)
def heading_vocabulary(heading: str) -> frozenset[str]:
    """Stems that tell what belongs under a heading: its own words and those of its usual meaning."""
    own = content_stems(heading)
    usual = [word for part in own for word in content_stems(_HEADING_WORDS.get(part, ""))]
    return frozenset([*own, *usual])


def fits(heading: str, text: str) -> float:
    """The share of a text that is about what a heading announces; 0 if it is next to nothing."""
    words, stems = heading_vocabulary(heading), content_stems(text)
    share = sum(word in words for word in stems) / (len(stems) + 12)
    return share if share >= _LEAST_FIT else 0.0


_LEAST_FIT = 0.04
_SPECIFIC = frozenset(content_stems("open questions risks step milestones costs assumptions references glossary"))


def is_specific(heading: str) -> bool:
    """Whether only fitting material may stand under a heading, because other material would mislead there."""
    return not _SPECIFIC.isdisjoint(content_stems(heading))
