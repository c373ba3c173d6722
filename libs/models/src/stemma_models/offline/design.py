"""The drafts of a software design: what the material says, in the order of a design, and nothing besides."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from .composing import compose
from .demands import demands, is_order, taken_up
from .plain import bare, safe
from .records import Entity, entities, entity_table, fields_table
from .request import Request
from .sentences import as_sentence
from .words import join_words

_DOES = re.compile(
    r"^(?:The|A|An|Each|Every) ([a-z][\w'-]*(?: [a-z][\w'-]*){0,2}?) "
    r"(?:is|are|has|keeps?|reads?|asks?|records?|takes?|speaks?|operates?|answers?|books?|stores?|sends?|shows?|checks?)\b"
)
_IN_FEEDBACK = re.compile(r"^- (.+?): (.+?) To mend it: ", re.MULTILINE)
_QUOTED = re.compile(r"“([^”]+)”")
ANSWERED = "What was asked for"
_MOST_DECISIONS = 4


def design_draft(request: Request) -> str:
    """The draft of a section of a design, by its kind."""
    return _WRITERS[request.section.kind](request)


def is_design(request: Request) -> bool:
    """Whether the section is a draft of a design."""
    return request.section.kind in _WRITERS


def _high_level(request: Request) -> str:
    of_brief = [demand for demand in demands(request) if _in_brief(demand, request)]
    kept = [demand for demand in of_brief[_MOST_DECISIONS:] if taken_up(demand, request.previous_lines)]
    wanted = list(dict.fromkeys([*of_brief[:_MOST_DECISIONS], *kept, *_found_missing(request)]))
    blocks = [*_opening(request), "## Components", *_components(request), "## Decisions"]
    blocks += ["Decided by what the brief demands:", _bullets(wanted)] if wanted else [_nothing("decisions")]
    return _markdown(request, blocks)


def _low_level(request: Request) -> str:
    above = [line for section in request.upstream for line in section.text.splitlines()]
    of_inputs = [demand for demand in demands(request) if not _in_brief(demand, request)]
    rules = [*(demand for demand in of_inputs if not taken_up(demand, above)), *_found_missing(request)]
    opening = "The parts of the high-level design meet at the following operations, each with the rule that binds it."
    blocks = [opening, "## Interfaces"]
    blocks += [_rules(rules)] if rules else [_nothing("interfaces")]
    found = entities(request)
    blocks += ["## Data", *[block for entity in found for block in _entity(entity)]] if found else []
    blocks += [] if found else ["## Data", _nothing("data")]
    return _markdown(request, blocks)


def _schema(request: Request) -> str:
    found = entities(request)
    if not found:
        return compose(request).markdown
    blocks = [*_what_is_held(request, found), "## Tables"]
    for entity in found:
        blocks += [f"### {safe(entity.table)}", entity_table(entity, [other.table for other in found])]
        blocks += [f"Rows are kept: {safe(entity.kept)}."] if entity.kept else []
    return _markdown(request, blocks)


def _what_is_held(request: Request, found: Sequence[Entity]) -> list[str]:
    names = join_words([bare(entity.name) for entity in found])
    blocks = [f"One relational database holds the {len(found)} records of the design, a table for each: {names}."]
    terms = [
        request.lexicon.with_article(term) for term in request.lexicon.terms([u.text for u in request.upstream], 8)
    ]
    return [*blocks, safe(f"Its rows answer what the design asks about {join_words(terms)}.")] if terms else blocks


def _opening(request: Request) -> list[str]:
    units = [unit for unit in request.brief_units if unit.kind == "paragraph"]
    sentences = [sentence for sentence in (units[0].sentences if units else ()) if not is_order(sentence)]
    return [safe(" ".join(sentences))] if sentences else []


def _components(request: Request) -> list[str]:
    """A table of the parts that the material says something of, by their names there."""
    found: dict[str, list[str]] = {}
    for unit in request.units:
        for sentence in unit.sentences if unit.kind == "paragraph" else ():
            if match := _DOES.match(sentence):
                found.setdefault(match.group(1), []).append(sentence)
    rows = [f"| {safe(name.capitalize())} | {safe(' '.join(said))} |" for name, said in found.items()]
    if not rows:
        return [_nothing("parts")]
    return ["Table: The parts and what each does", "\n".join(["| Part | What it does |", "| --- | --- |", *rows])]


def _in_brief(demand: str, request: Request) -> bool:
    return any(demand in unit.sentences for unit in request.brief_units)


def _rules(rules: Sequence[str]) -> str:
    rows = [f"| {number} | {safe(rule)} |" for number, rule in enumerate(rules, 1)]
    return "\n".join(["| Rule | What holds |", "| ---: | --- |", *rows])


def _entity(entity: Entity) -> list[str]:
    kept = [f"It is kept {safe(entity.kept)}."] if entity.kept else []
    return [f"### {safe(entity.name)}", fields_table(entity), *kept]


def _markdown(request: Request, blocks: Sequence[str]) -> str:
    return "\n\n".join([f"# {safe(request.section.title)}", *blocks, *_answers(request)]) + "\n"


def _answers(request: Request) -> list[str]:
    """What a person asked for, where a reader sees it."""
    by_a_person = request.revision_feedback if not _IN_FEEDBACK.search(request.revision_feedback) else ""
    said = [line.strip() for line in f"{by_a_person}\n{request.guidance}".splitlines() if line.strip()]
    return [f"## {ANSWERED}", _bullets(said)] if said else []


def _found_missing(request: Request) -> list[str]:
    """The demands that the last review found missing in this section."""
    title = request.section.title.lower()
    found = [text for where, text in _IN_FEEDBACK.findall(request.revision_feedback) if where.lower() == title]
    return [as_sentence(quoted) for text in found for quoted in _QUOTED.findall(text)]


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {safe(line)}" for line in lines)


def _nothing(what: str) -> str:
    return f"The material names no {what}; they are to be found out."


_WRITERS: Mapping[str, Callable[[Request], str]] = {
    "draft_hld": _high_level,
    "draft_lld": _low_level,
    "design_database": _schema,
}
