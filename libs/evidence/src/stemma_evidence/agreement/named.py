"""Who has which role in a text, and what its terms and abbreviations mean."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

from stemma_languages import fact_words

from stemma_evidence.sources.contexts import terms
from stemma_evidence.sources.source import Source
from stemma_evidence.sources.words import content_words

from .facts import Fact, alternatives, generic

_WORD = re.compile(r"[^\W_]+")
_COMPOUNDING = frozenset(("de", "nl"))
_ADJECTIVE_BEHIND = frozenset(("fr", "es", "it", "pt"))
_PERSON = (
    r"(?P<name>(?-i:(?<![^\W_])[A-ZÀ-Þ][^\W\d_]+(?:[ -](?:(?:von|van|de|da|di|del|der)[ ])?[A-ZÀ-Þ][^\W\d_]+){1,3}))"
)
_QUOTED = r"[“„«\"「][ \u00a0]?(?P<term>[^\W\d_][^\n“”„«»\".:「」]{1,60}?)[ \u00a0]?[”“»\"」],?[ ]?"
_TERM = r"(?:[“„«\"「]|(?<![^\n])[ #>*-]{0,8})(?P<term>[^\W\d_][^\n“”„«»\".:「」]{1,60}?)[”“»\" *」]{1,6}"
_EXPLAINED = re.compile(r"(?<![^\W_])(?P<words>(?:[^\W_]+[ '’-]){1,9}[^\W_]+)[ ]\((?P<term>[A-Z][A-Z0-9&]{1,7})\)")
_ADJECTIVE = re.compile(r"e[nrs]?\Z")
_WHICH = r"(?:(?:,?[ ]|[ ](?:for|of|für|du|de|del|di|da|van)[ ])(?P<which>(?-i:[A-Z][a-zà-ÿ]{1,9}[ ][0-9]{1,2})))?"
_ALL_BEHIND = re.compile(r"[^.\n。|]{3,300}")


def roles_of(source: Source) -> Iterator[Fact]:
    """Who has which role: a person's name with a word for a role before or behind it, or with what they lead."""
    for found in chain.from_iterable(form.finditer(source.shown) for form in _role_forms(source.language)):
        role = _role(found["role"], source.language)
        is_role = frozenset(found["name"].casefold().split()) & frozenset(fact_words(source.language).roles)
        if role and not is_role:
            about = role | frozenset(_WORD.findall((found["which"] or "").casefold()))
            yield Fact("role", source.name, _line(source, found), found["name"], about)


def _role(written: str, language: str) -> frozenset[str]:
    words = fact_words(language)
    kept = [word for word in _WORD.findall(written) if word.casefold() not in words.plain]
    if language in _COMPOUNDING:  # what is no adjective before a noun is no part of the role
        kept = [word for at, word in enumerate(kept) if at == len(kept) - 1 or _ADJECTIVE.search(word)]
    return terms(" ".join(kept), language) - generic(language)


def terms_of(source: Source) -> Iterator[Fact]:
    """What a term or an abbreviation means."""
    for found in _defining(source.language).finditer(source.shown):
        meaning = _ALL_BEHIND.match(source.shown, found.end())
        if meaning:
            yield _term(source, found, found["term"] or found["quoted"] or found["dashed"], meaning[0])
    for found in _EXPLAINED.finditer(source.shown):
        words = _WORD.findall(found["words"])[-2 * len(found["term"]) - 1 :]
        initials = [at for at, word in enumerate(words) if word[0].casefold() == found["term"][0].casefold()]
        if initials:
            yield _term(source, found, found["term"], " ".join(words[initials[0] :]))


def _term(source: Source, found: re.Match[str], term: str, meaning: str) -> Fact:
    words = content_words(meaning, source.language)
    about = frozenset((term.strip(" ,").casefold().removeprefix("the "),))
    return Fact("term", source.name, _line(source, found), meaning.strip(), about, words=words)


def _line(source: Source, found: re.Match[str]) -> int:
    return source.shown.count("\n", 0, found.start()) + 1


@cache
def _role_forms(language: str) -> tuple[re.Pattern[str], ...]:
    """A role before a name, and one behind it; a person who leads something."""
    words = fact_words(language)
    compound = r"[^\W\d_]{0,30}" if language in _COMPOUNDING else ""
    role = rf"(?<!\w)(?P<role>(?:[^\W\d_]+(?:[ -]|['’])){{0,2}}{compound}(?:{alternatives(words.roles)})"
    role += r"(?:[ ](?:d[eiu][ ]|d['’])?[^\W\d_]+){0,2})(?!\w)" if language in _ADJECTIVE_BEHIND else r")(?!\w)"
    role += _WHICH
    link = rf"[ ]{{0,4}}(?:[|:,*–(-][|:,*–( -]{{0,6}}|(?<!\w)(?:{alternatives(words.linking)})(?!\w))[ ]{{0,4}}"
    title = r"(?:[^\W\d_]{1,9}\.?[ ]){0,2}?"
    leading, plain = alternatives(words.leading), alternatives(words.plain)
    led = rf"(?P<role>(?:{leading})[ ](?:(?:{plain})[ ])*[^\W\d_]+)(?!\w)(?P<which>)"
    is_led = rf"(?<!\w)(?P<role>[^\W\d_]{{3,}})[ ](?:{leading})[ ]{title}{_PERSON}(?P<which>)"
    return tuple(
        re.compile(form, re.I)
        for form in (
            rf"{role}(?:{link}|[ ]){title}{_PERSON}",
            rf"{_PERSON}{link}{role}",
            is_led if language == "de" else rf"{_PERSON}[ ]{led}",
        )
    )


@cache
def _defining(language: str) -> re.Pattern[str]:
    words = fact_words(language)
    every = alternatives((*words.defining, *words.defining_quoted))
    quoted = _QUOTED.replace("<term>", "<quoted>")
    defining = rf"(?:{alternatives(words.defining)})(?!\w)"
    dashed = rf"(?<!\w)(?P<dashed>(?-i:[A-ZÀ-Þ])[^\W\d_]{{2,30}})[ ][–—-][ ]{defining}"
    return re.compile(rf"{_TERM},?[ ]?{defining}|{quoted}(?:{every})(?!\w)|{dashed}", re.I)
