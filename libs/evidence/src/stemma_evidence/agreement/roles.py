"""Who has which role, as a text states it."""

import re
from collections.abc import Iterator
from functools import cache

from stemma_languages import fact_words

from stemma_evidence.claims.vocabulary import ANY
from stemma_evidence.sources.contexts import terms
from stemma_evidence.sources.source import Source

from .facts import ADJECTIVE_BEHIND, COMPOUNDING, WORD, Fact, alternatives, generic

LEADING = "+leading"
"""Among the words of a role: said by a verb, of whoever is the head of something."""
TITLES = alternatives(sorted({*ANY.titles, "M", "Madame", "Monsieur", "Dipl.-Ing", "Dr.-Ing"}))
_CAPITAL = r"[A-ZÀ-Þ](?:['’][A-ZÀ-Þ])?[^\W\d_]+"
_NAME = rf"(?:(?:{TITLES})\.?[ ]){{0,3}}{_CAPITAL}(?:[ -](?:(?:von|van|de|da|di|del|der|zu|la)[ ])?{_CAPITAL}){{0,3}}"
_PERSON = rf"(?P<name>(?-i:(?<![^\W_]){_NAME}(?![^\W_])))"
_TITLE = re.compile(rf"(?:{TITLES})\.?[ ]")
_LABEL = r"[^\W\d_]+(?:[ -][^\W\d_]+|['’][^\W\d_]+){0,4}"
_ADJECTIVE = re.compile(r"e[nrs]?\Z")
_WHICH = r"(?:(?:,?[ ]|[ ](?:for|of|für|du|de|del|di|da|van)[ ])(?P<which>(?-i:[A-Z][a-zà-ÿ]{1,9}[ ][0-9]{1,2})))?"
_NO_HEAD = r"(?![^\n]*\n[ ]{0,3}\|[ :|-]+(?:\n|\Z))"
_FEMININE = re.compile(r"(?<=[^\W\d_]{4})(?:innen|in|r)\Z")
_REFERENCE = re.compile(r"[ ]{0,8}(?:[-*+]|[0-9]{1,3}[.)])[ ]{1,4}(?P<of>[^\n:(]{3,120}?)[ ]?\((?:19|20)[0-9]{2}\)")
"""An item about earlier work: "- Union of Libraries (2024): a portal. Contact: Tom Okafor."."""
_TAIL = 5
"""Letters at the end of a compound that tell its roles apart."""


def roles_of(source: Source) -> Iterator[Fact]:
    """Who has which role: a person's name with a word for a role before or behind it, or with what they lead."""
    for form in (*_noun_forms(source.language), *_labelling(source.language), *_verb_forms(source.language)):
        for found in form.finditer(source.shown):
            name = _TITLE.sub("", found["name"])
            if (" " in name or name != found["name"]) and _is_name(name, source.language):
                yield from _stated(source, found, name)


def _stated(source: Source, found: re.Match[str], name: str) -> Iterator[Fact]:
    groups, language = found.groupdict(), source.language
    led = groups.get("led")
    if led and _TITLE.match(f"{led} "):
        return
    which = frozenset(WORD.findall((groups.get("which") or "").casefold())) | _reference(source, found.start())
    role = terms(led, language) - generic(language) if led else _role(groups["role"], language)
    if not role:
        return
    leads = role if led else _field(groups["role"], role, language)
    line = source.shown.count("\n", 0, found.start()) + 1
    about = frozenset((LEADING, *role)) if led else role
    yield Fact("role", source.name, line, name, about | which, concepts=leads | which)


def _reference(source: Source, at: int) -> frozenset[str]:
    """The words for whom the earlier work was done that an item is about."""
    item = _REFERENCE.match(source.shown, source.shown.rfind("\n", 0, at) + 1, at)
    return terms(item["of"], source.language) if item else frozenset()


def have_one_role(one: Fact, other: Fact) -> bool:
    """Whether two statements are of one role: of the same words, or the one by a verb for what the other leads."""
    said = LEADING in one.about or LEADING in other.about
    return one.about == other.about or (said and bool(one.concepts) and one.concepts == other.concepts)


def _is_name(name: str, language: str) -> bool:
    """Whether words with capitals are no role, and no thing with its article."""
    words, said = fact_words(language), name.casefold().split()
    return said[0] not in (*words.plain, *words.definite) and frozenset(said).isdisjoint(words.roles)


def _title_before(language: str) -> str:
    """Words before a name; who had a role elsewhere once has none here."""
    return rf"(?:(?!(?:{alternatives(fact_words(language).past)})[ ])[^\W\d_]{{1,9}}\.?[ ]){{0,2}}?"


def _role(written: str, language: str) -> frozenset[str]:
    words = fact_words(language)
    kept = [word for word in WORD.findall(written) if word.casefold() not in words.plain]
    if language not in COMPOUNDING:
        return terms(" ".join(kept), language) - generic(language)
    # What is no adjective before a noun is no part of the role.
    nouns = [
        word for at, word in enumerate(kept) if at == len(kept) - 1 or word[0].isupper() or _ADJECTIVE.search(word)
    ]
    tails = {_tail(word, language) for word in nouns if word[0].isupper()}
    return (terms(" ".join(nouns), language) - generic(language)) | tails


def _tail(noun: str, language: str) -> str:
    """By what the end of a noun makes it another role: ``Projektleiter`` is no ``Projektassistent``."""
    word = noun.casefold()
    leads = word.endswith(tuple(fact_words(language).leaders))
    return "-" if leads else f"-{_FEMININE.sub('', word)[-_TAIL:]}"


def _field(written: str, role: frozenset[str], language: str) -> frozenset[str]:
    """What whoever has a role is the head of; empty if it is no such role."""
    leaders = fact_words(language).leaders
    words = [word.casefold() for word in WORD.findall(written)]
    if not any(word.endswith(leaders) if language in COMPOUNDING else word in leaders for word in words):
        return frozenset()
    return frozenset(word for word in role if word[0] != "-") - terms(" ".join(leaders), language)


@cache
def _noun_forms(language: str) -> tuple[re.Pattern[str], ...]:
    """A role before a name, and one behind it."""
    words = fact_words(language)
    compound = r"[^\W\d_]{0,30}" if language in COMPOUNDING else ""
    role = rf"(?<!\w)(?P<role>(?:[^\W\d_]+(?:[ -]|['’])){{0,2}}{compound}(?:{alternatives(words.roles)})"
    if language in ADJECTIVE_BEHIND:
        role += r"(?:[ ](?:d[eiu][ ]|d['’])?[^\W\d_]+){0,2}"
    else:
        of = rf"(?:{alternatives(words.of)})[ ](?:(?:{alternatives(words.plain)})[ ])?"
        role += rf"(?!\w)(?:[ ]{of}[^\W\d_]+(?![^\W\d_]|[ ][0-9]))?"
    role += rf")(?!\w){_WHICH}"
    link = rf"[ ]{{0,4}}(?:[|:,*–(-][|:,*–( -]{{0,6}}|(?<!\w)(?:{alternatives(words.linking)})(?!\w))[ ]{{0,4}}"
    acting = rf"[ ][^\W\d_]{{2,12}}[ ](?:{alternatives(words.linking)})[ ]"
    forms = (rf"{role}(?:{link}|[ ]){_title_before(language)}{_PERSON}", rf"{_PERSON}(?:{link}|{acting}){role}")
    return tuple(re.compile(form, re.I) for form in forms)


@cache
def _labelling(language: str) -> tuple[re.Pattern[str], ...]:
    """Any words where only a role stands: as a label of a name, or beside it between commas."""
    words = fact_words(language)
    role, definite = rf"(?P<role>{_LABEL})", alternatives(words.definite)
    forms = (
        rf"^[ ]{{0,3}}\|[ ]*+{_NO_HEAD}{role}[ ]*\|[ ]*{_PERSON}[ ]*[|,(]",
        rf"^[ >-]{{0,8}}{role}[ ]{{0,3}}:[ ]{{1,4}}{_PERSON}[ ]*(?:$|[,;.(])",
        rf"{_PERSON},[ ](?:{definite})[ ]{role}(?=[ ]?[,.;)])",
        rf"(?<!\w)(?:{definite})[ ]{role},[ ]{_PERSON},",
    )
    return tuple(re.compile(form, re.I | re.M) for form in forms)


@cache
def _verb_forms(language: str) -> tuple[re.Pattern[str], ...]:
    """A person who leads something, and something that is led by one."""
    words = fact_words(language)
    leading, plain = alternatives(words.leading), alternatives(words.plain)
    led = rf"(?:(?:{plain})[ ]|l['’])*(?P<led>[^\W\d_]{{3,}})(?!\w)"
    are = rf"(?:(?:{alternatives(words.linking)})[ ])?"
    forms = [
        rf"{_PERSON}[ ](?:{leading})[ ]{led}",
        rf"(?<!\w)(?P<led>[^\W\d_]{{3,}})[ ]{are}(?:{alternatives(words.led_by)})[ ]{_title_before(language)}{_PERSON}",
    ]
    if language == "de":
        forms.append(rf"(?<!\w)(?P<led>[^\W\d_]{{3,}})[ ](?:{leading})[ ]{_title_before(language)}{_PERSON}")
    return tuple(re.compile(form, re.I) for form in forms)
