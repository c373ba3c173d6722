"""The material of a request: inputs, what the brief states, what is new in the sections before, what a person said.

An instruction to the writer is no material; only what it claims counts, without its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from stemma_languages import detect, is_instruction
from stemma_languages import language as language_of
from stemma_markdown import Document

from .bearing import KINDS, claimed, speaks_to_the_writer
from .forms import grammar
from .material import Material, Passage, Place, fold, gathered
from .reading import read
from .request import Request

_COLONS = (":", "：")
_LABELLED = (" - ", " – ", ": ", "; ")
"""What stands between a label and what is asked for under it."""


@lru_cache(maxsize=64)
def _read_input(name: str, text: str) -> tuple[str, Material]:
    language = detect(text)
    found = read("input", name, text, language)
    return language, replace(found, passages=tuple(_without_requests(passage, language) for passage in found.passages))


def _without_requests(passage: Passage, language: str) -> Passage:
    """What an input asks of the one who writes the document is no content; what it names goes to tables."""
    parts = [passage.text, *(passage.text.partition(mark)[2] for mark in _LABELLED)]
    asks = speaks_to_the_writer(passage.text, language) and any(is_instruction(part, language) for part in parts)
    return replace(passage, form="heading") if asks else passage


def gather(request: Request) -> Material:
    """All that the section may be written from."""
    given = gathered(_read_input(named.name, named.text)[1] for named in request.inputs)
    brief = stated(read("brief", language_of(request.language).words.brief, request.brief, request.language), request)
    person = stated(read("person", "", request.said, request.language), request)
    person += Material(tuple(_dictated(f"{request.said}\n\n{request.feedback}", request.language)))
    known = person + brief + given
    return known + gathered(_news(request, known))


def _dictated(text: str, tag: str) -> Iterator[Passage]:
    """What a person wants to have said, as in "say that the council pays"."""
    for at, sentence in enumerate(Document(text).sentences(tag)):
        for known in (grammar(tag), grammar(detect(sentence.text))):
            forms = [known.form(part) for part in known.parts(sentence.text)]
            if forms and all(form and form.verb == "say" for form in forms):
                words = [form.what[:1].upper() + form.what[1:] for form in forms if form]
                yield from (Passage(language_of(tag).sentence(w), Place("person", ""), -1 - at) for w in words)
                break


def stated(material: Material, request: Request) -> Material:
    """A text of the client or of a person without its instructions, which leave what they claim."""
    return replace(material, passages=tuple(_statements(material, request.language)))


def _statements(material: Material, language: str) -> Iterator[Passage]:
    asks = False
    for passage in material.passages:
        if passage.form == "item" and asks:
            yield from _claims_of(passage, language)
        elif is_instruction(passage.text, language):
            asks = passage.text.endswith(_COLONS)
            yield from _claims_of(passage, language)
        else:
            asks = False
            yield passage


def _claims_of(passage: Passage, language: str) -> Iterator[Passage]:
    for claim in claimed(passage.text, language):
        if claim.kind in KINDS:
            yield replace(passage, text=claim.text, form="heading")


def _news(request: Request, known: Material) -> Iterator[Material]:
    """What stands in sections before and nowhere else, as when a person wrote it there."""
    passages = {passage.key for passage in known.passages}
    rows = {fold(" ".join(row)) for table in known.tables for row in table.rows}
    names = [named.name for named in request.inputs] + [language_of(request.language).words.brief]
    for named in request.upstream:
        text = _without_citations(named.text, [*names, *(other.name for other in request.upstream)])
        found = read("upstream", named.name, text, request.language)
        yield Material(
            tuple(p for p in found.passages if p.form != "heading" and p.key not in passages),
            tuple(replace(t, rows=new) for t in found.tables if (new := _unknown(t.rows, rows))),
        )


def _unknown(rows: tuple[tuple[str, ...], ...], known: set[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(row for row in rows if fold(" ".join(row)) not in known)


def _without_citations(text: str, names: list[str]) -> str:
    named = "|".join(re.escape(name) for name in sorted(set(names), key=len, reverse=True) if name)
    return re.sub(rf"\s*\((?:{named})(?:, (?:[^()\n]|\([^()\n]*\)){{0,400}})?\)", "", text) if named else text
