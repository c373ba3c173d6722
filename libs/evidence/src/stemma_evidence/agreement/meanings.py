"""What a text says that a term or an abbreviation means."""

import re
from collections.abc import Iterator
from functools import cache

from stemma_languages import fact_words

from stemma_evidence.sources.source import Source
from stemma_evidence.sources.words import content_words

from .facts import WORD, Fact, alternatives

_QUOTED = r"[“„«\"「][ \u00a0]?(?P<term>[^\W\d_][^\n“”„«»\".:「」]{1,60}?)[ \u00a0]?[”“»\"」],?[ ]?"
_TERM = r"(?:[“„«\"「]|(?<![^\n])[ #>*-]{0,8})(?P<term>[^\W\d_][^\n“”„«»\".:「」]{1,60}?)[”“»\" *」]{1,6}"
_EXPLAINED = re.compile(r"(?<![^\W_])(?P<words>(?:[^\W_]+[ '’-]){1,9}[^\W_]+)[ ]\((?P<term>[A-Z][A-Z0-9&]{1,7})\)")
_ALL_BEHIND = re.compile(r"[^.\n。|]{3,300}")


def terms_of(source: Source) -> Iterator[Fact]:
    """What a term or an abbreviation means."""
    for form in _defining(source.language):
        for found in form.finditer(source.shown):
            if meaning := _ALL_BEHIND.match(source.shown, found.end()):
                groups = found.groupdict()
                term = next(groups[name] for name in ("term", "quoted", "dashed") if groups.get(name))
                yield _term(source, found, term, meaning[0])
    for found in _EXPLAINED.finditer(source.shown):
        words = WORD.findall(found["words"])[-2 * len(found["term"]) - 1 :]
        initials = [at for at, word in enumerate(words) if word[0].casefold() == found["term"][0].casefold()]
        if initials:
            yield _term(source, found, found["term"], " ".join(words[initials[0] :]))


def _term(source: Source, found: re.Match[str], term: str, meaning: str) -> Fact:
    words = content_words(meaning, source.language)
    about = frozenset((term.strip(" ,").casefold().removeprefix("the "),))
    line = source.shown.count("\n", 0, found.start()) + 1
    return Fact("term", source.name, line, meaning.strip(), about, words=words)


@cache
def _defining(language: str) -> tuple[re.Pattern[str], ...]:
    """A phrase that defines the term before it, and one that stands before both."""
    words = fact_words(language)
    every = alternatives((*words.defining, *words.defining_quoted))
    quoted = _QUOTED.replace("<term>", "<quoted>")
    defining = rf"(?:{alternatives(words.defining)})(?!\w)"
    dashed = rf"(?<!\w)(?P<dashed>(?-i:[A-ZÀ-Þ])[^\W\d_]{{2,30}})[ ][–—-][ ]{defining}"
    article = rf"(?:(?:{alternatives((*words.plain, *words.definite))})[ ])?"
    word, before, meant = r"(?P<term>[^\W\d_]{3,30})", alternatives(words.defined_behind), alternatives(words.meant)
    behind = rf"(?:{before})[ ]{article}(?:{word}[ ](?:{meant})(?!\w)|{quoted}(?:(?:{meant})[ ])?)"
    return (
        re.compile(rf"{_TERM},?[ ]?{defining}|{quoted}(?:{every})(?!\w)|{dashed}", re.I),
        re.compile(rf"(?<!\w){behind}", re.I),
        re.compile(rf"(?<!\w)(?:{alternatives(words.calling)})[ ]{article}{word}(?!\w)", re.I),
    )
