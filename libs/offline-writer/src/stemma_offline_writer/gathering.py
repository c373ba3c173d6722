"""The material of a request: what is ours, and what a person dictates to the writer.

The brief and the request are followed, and never quoted; nor is what an input asks of the one who writes. A rate sheet
is quoted in a section about money alone: buyers often want prices in a file of their own.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from stemma_languages import detect, grammar, is_addressed
from stemma_languages import language as language_of
from stemma_markdown import Document

from .bearing import named_kinds
from .material import Material, Passage, Place, gathered
from .reading import is_whole, read
from .request import Request


def gather(request: Request) -> Material:
    """All that the section may be written from."""
    dictated = tuple(_dictated(f"{request.said}\n\n{request.feedback}", request.language))
    section = request.section
    about_money = "amounts" in section.collects | named_kinds(section.title, request.language)
    inputs = (named for named in request.inputs if about_money or not named.is_price)
    return Material(dictated) + gathered(_read_input(named.name, named.text) for named in inputs)


@lru_cache(maxsize=64)
def _read_input(name: str, text: str) -> Material:
    found = read("input", name, text, detect(text))
    return replace(found, passages=tuple(map(_as_quoted, found.passages)))


def _as_quoted(passage: Passage) -> Passage:
    """What an input asks of the one who writes the document, or half a sentence, is not quoted."""
    place = passage.place
    quotable = is_whole(passage) and not is_addressed(passage.words, place.heading, place.language)
    return passage if quotable else replace(passage, form="heading")


def _dictated(text: str, tag: str) -> Iterator[Passage]:
    """What a person wants to have said, as in "say that the council pays"."""
    for at, sentence in enumerate(Document(text).sentences(tag)):
        for known in (grammar(tag), grammar(detect(sentence.text))):
            forms = [known.form(part) for part in known.parts(sentence.text)]
            if forms and all(form and form.verb == "say" for form in forms):
                words = [form.what[:1].upper() + form.what[1:] for form in forms if form]
                yield from (Passage(language_of(tag).sentence(w), Place("person", "", tag), -1 - at) for w in words)
                break
