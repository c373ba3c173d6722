"""The languages that there are: one data file each, with its dates, numbers and the words that a program writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from pathlib import Path
from string import Formatter
from typing import Annotated

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.numbers import format_decimal
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

Word = Annotated[str, StringConstraints(min_length=1, max_length=300, strip_whitespace=True)]


class Words(BaseModel):
    """One field for each word or sentence; a part in braces is filled in. English defines which there are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # The document around the text.
    contents: Word
    figure: Word
    table: Word
    numbered: Word
    captioned: Word
    page: Word
    page_of: Word
    date: Word
    author: Word
    version: Word
    draft: Word
    note: Word
    tip: Word
    important: Word
    warning: Word
    caution: Word
    image_missing: Word
    appendix: Word
    untitled: Word
    not_written: Word
    not_approved: Word
    stale: Word
    end_of_comparison: Word
    # What of the inputs stands where.
    brief: Word
    source: Word
    sources: Word
    cited_page: Word
    cited_slide: Word
    cited_paragraph: Word
    cited_message: Word
    file: Word
    heading: Word
    reason: Word
    the_inputs: Word
    not_covered: Word
    matrix: Word
    demand: Word
    obligation: Word
    obligation_mandatory: Word
    obligation_should: Word
    obligation_option: Word
    answered_in: Word
    answer_status: Word
    answer_open: Word
    answer_check: Word
    answer_addressed: Word
    answer_verified: Word
    answer_not_applicable: Word
    answers: Word
    left_out: Word
    not_comparable: Word
    language: Word
    amount: Word
    amounts: Word
    dates: Word
    figures: Word
    risks: Word
    people: Word
    statement: Word
    # Sections that code puts together of a model's answer.
    findings: Word
    open_questions: Word
    what_we_propose: Word
    it_answers: Word
    what_the_client_gains: Word
    from_need_to_solution: Word
    needs_and_answers: Word
    need: Word
    answer: Word
    evidence: Word
    what_remains_open: Word
    costs: Word
    costs_by_item: Word
    item: Word
    basis: Word
    amount_in: Word
    total: Word
    total_known: Word
    assumptions: Word
    # Documents of several authors, and reviews.
    key_decisions: Word
    open_review_findings: Word
    unmet_review: Word
    critical_findings: Word
    major_findings: Word
    minor_findings: Word
    to_mend: Word
    review_found_nothing: Word
    not_reviewed: Word
    incomplete: Word
    cut_off: Word
    failed: Word
    not_joined: Word
    general_writer: Word
    editor: Word
    content_strategist: Word


SENTENCE_ENDS = (".", "?", "!", "\u2026", "\u3002", "\uff1f", "\uff01")


class Language(BaseModel):
    """A data file. ``locale`` is the BCP 47 tag for files that leave, such as ``de-DE``.

    Raises `pydantic.ValidationError` for words that are missing, unknown, or take other values than in English.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tag: str = Field(pattern=r"^[a-z]{2,3}$")
    locale: str = Field(pattern=r"^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$")
    name: str = Field(min_length=1, description="what its speakers call it")
    english_name: str = Field(min_length=1, description="for prompts")
    full_stop: str = "."
    words: Words

    @field_validator("locale")
    @classmethod
    def _is_known_to_babel(cls, locale: str) -> str:
        try:
            Locale.parse(locale, sep="-")
        except (UnknownLocaleError, ValueError) as error:
            raise ValueError(f"Babel has no dates and numbers for it: {error}") from None
        return locale

    @model_validator(mode="after")
    def _locale_fits(self) -> Language:
        if self.locale.split("-")[0] != self.tag:
            raise ValueError(f"locale {self.locale} is of another language than {self.tag}")
        return self

    @cached_property
    def babel(self) -> Locale:
        """The locale by which Babel writes dates and numbers."""
        return Locale.parse(self.locale, sep="-")

    def name_of(self, tag: str) -> str:
        """What a language is called in this one, such as ``German``; its tag if Babel does not know it."""
        try:
            return Locale.parse(tag, sep="-").get_language_name(self.babel) or tag
        except (UnknownLocaleError, ValueError):
            return tag

    def date(self, day: date) -> str:
        """A day in words, such as ``1 June 2027`` or ``2027年6月1日``."""
        return format_date(day, "long", locale=self.babel)

    def number(self, value: Decimal | float, decimals: int = 0) -> str:
        """A number with the separators of the language and so many decimals."""
        places = "." + "0" * decimals if decimals else ""
        return format_decimal(value, f"#,##0{places}", locale=self.babel)

    def numbered(self, word: str, number: int) -> str:
        """What is counted, such as ``Figure 3``."""
        return self.words.numbered.format(word=word, number=number)

    def captioned(self, label: str, text: str) -> str:
        """A label and what it is for, such as ``Figure 3: The plan``."""
        return self.words.captioned.format(label=label, text=text)

    def place(self, kind: str, label: str) -> str:
        """A place of a file, as the reader of inputs labels it, such as ``p. 3``, as this language cites it."""
        number = label.rpartition(" ")[2]
        match kind:
            case "page":
                return self.words.cited_page.format(number=number)
            case "slide":
                return self.words.cited_slide.format(number=number)
            case "paragraph":
                return self.words.cited_paragraph.format(number=number)
            case "part":
                return self.words.cited_message.format(name=label.removeprefix("message from "))
            case _:
                return label

    def citation(self, file: str, kind: str, label: str) -> str:
        """A file and a place of it, such as ``rfq.pdf, p. 3``; the file alone if no place is known."""
        return f"{file}, {self.place(kind, label)}" if label else file

    def sentence(self, text: str) -> str:
        """A text that ends as a sentence does."""
        return text if text.endswith(SENTENCE_ENDS) else f"{text}{self.full_stop}"


def placeholders(words: Words) -> dict[str, set[str]]:
    """The values that each word or sentence takes, by its name."""
    return {
        name: {field for _, field, _, _ in Formatter().parse(text) if field is not None}
        for name, text in words.model_dump().items()
    }


DEFAULT = "en"
DATA = Path(__file__).with_name("data")


class UnknownLanguage(ValueError):
    """A language without a data file; the message names it and those that there are."""


class InvalidLanguage(ValueError):
    """A data file that cannot be used; the message names the file and what is wrong in it."""


def shipped() -> tuple[str, ...]:
    """The tags of all languages, in the order of the alphabet."""
    return tuple(sorted(_languages()))


def language(tag: str) -> Language:
    """The language of a tag such as ``de`` or ``de-AT``; English for an empty one, as old logs have it.

    Raises `UnknownLanguage` if there is no data file.
    """
    known = _languages()
    found = known.get(primary(tag) if tag else DEFAULT)
    if found is None:
        raise UnknownLanguage(f"there is no language {tag!r}; there are: {', '.join(sorted(known))}")
    return found


def primary(tag: str) -> str:
    """The part of a BCP 47 tag that names the language, in small letters."""
    return tag.partition("-")[0].lower()


def read_languages(folder: Path) -> Mapping[str, Language]:
    """All data files of a folder by tag. Raises `InvalidLanguage`."""
    return dict(_read(folder))


@lru_cache(maxsize=1)
def _languages() -> Mapping[str, Language]:
    return read_languages(DATA)


def _read(folder: Path) -> Iterator[tuple[str, Language]]:
    english = placeholders(_language(folder / f"{DEFAULT}.json").words)
    for file in sorted(folder.glob("*.json")):
        found = _language(file)
        for name, taken in placeholders(found.words).items():
            if taken != english[name]:
                raise InvalidLanguage(f"{file.name}: {name} takes {sorted(taken)}, in English {sorted(english[name])}")
        yield found.tag, found


def _language(file: Path) -> Language:
    try:
        found = Language.model_validate_json(file.read_text("utf-8"))
    except OSError as error:
        raise InvalidLanguage(f"{file.name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidLanguage(f"{file.name}: it is not UTF-8") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidLanguage(f"{file.name}: {where}: {first['msg']}") from None
    if found.tag != file.stem:
        raise InvalidLanguage(f"{file.name}: its tag is {found.tag}")
    return found
