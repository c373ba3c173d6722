"""The material of a request: inputs, what the brief states, what is new in the sections before, what a person said.

An instruction to the writer is no material; only what it claims counts, without its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from stemma_languages import detect, grammar, is_about_the_document, is_addressed
from stemma_languages import language as language_of
from stemma_markdown import Document

from .bearing import KINDS, claimed
from .material import Material, Passage, Place, fold, gathered
from .reading import is_whole, read
from .request import Request


@lru_cache(maxsize=64)
def _read_input(name: str, text: str) -> Material:
    found = read("input", name, text, detect(text))
    return replace(found, passages=tuple(map(_as_quoted, found.passages)))


def _as_quoted(passage: Passage) -> Passage:
    """What an input asks of the one who writes the document, or half a sentence, leaves only what it claims."""
    place = passage.place
    quotable = is_whole(passage) and not is_addressed(passage.words, place.heading, place.language)
    return passage if quotable else replace(passage, form="heading")


def gather(request: Request) -> Material:
    """All that the section may be written from."""
    given = gathered(_read_input(named.name, named.text) for named in request.inputs)
    brief = stated(read("brief", language_of(request.language).words.brief, request.brief, request.language))
    person = stated(read("person", "", request.said, request.language))
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
                yield from (Passage(language_of(tag).sentence(w), Place("person", "", tag), -1 - at) for w in words)
                break


def stated(material: Material) -> Material:
    """A text of the client or of a person without its instructions, which leave what they claim."""
    return replace(material, passages=tuple(one for passage in material.passages for one in _statements(passage)))


def _statements(passage: Passage) -> Iterator[Passage]:
    place = passage.place
    if not is_about_the_document(passage.text, place.language) and (place.origin == "person" or is_whole(passage)):
        yield passage
        return
    for claim in claimed(passage.words, place.language):
        if claim.kind in KINDS:
            yield replace(passage, text=claim.text, form="heading", items=())


def _news(request: Request, known: Material) -> Iterator[Material]:
    """What stands in sections before and nowhere else, as when a person wrote it there."""
    words = language_of(request.language).words
    told = "\n".join([*(p.key for p in known.passages), *map(fold, (request.brief, request.said))])
    absent = fold(words.nothing_found.partition("{")[0])
    rows = {fold(" ".join(row)) for table in known.tables for row in table.rows}
    names = [named.name for named in request.inputs] + [words.brief]
    for named in request.upstream:
        text = _without_citations(named.text, [*names, *(other.name for other in request.upstream)])
        found = read("upstream", named.name, text, request.language)
        told_there = (p for p in found.passages if p.form != "heading" and absent not in p.key)
        yield Material(
            tuple(p for p in told_there if not all(fold(line) in told for line in p.lines)),
            tuple(replace(t, rows=new) for t in found.tables if (new := _unknown(t.rows, rows))),
        )


def _unknown(rows: tuple[tuple[str, ...], ...], known: set[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(row for row in rows if fold(" ".join(row)) not in known)


def _without_citations(text: str, names: list[str]) -> str:
    named = "|".join(re.escape(name) for name in sorted(set(names), key=len, reverse=True) if name)
    return re.sub(rf"\s*\((?:{named})(?:, (?:[^()\n]|\([^()\n]*\)){{0,400}})?\)", "", text) if named else text
