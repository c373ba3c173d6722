"""One language: what it is called, how it writes dates and numbers, and the words that a program writes in it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property
from string import Formatter

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.lists import format_list
from babel.numbers import format_decimal
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from .words import Words

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

    def listed(self, names: Sequence[str]) -> str:
        """Names in a row, such as ``A, B and C``."""
        return format_list(names, locale=self.babel)

    def sentence(self, text: str) -> str:
        """A text that ends as a sentence does."""
        return text if text.endswith(SENTENCE_ENDS) else f"{text}{self.full_stop}"


def placeholders(words: Words) -> dict[str, set[str]]:
    """The values that each word or sentence takes, by its name."""
    return {
        name: {field for _, field, _, _ in Formatter().parse(text) if field is not None}
        for name, text in words.model_dump().items()
    }
