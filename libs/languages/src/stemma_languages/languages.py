"""The languages that there are: one file each, read once and checked against English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from .language import Language, placeholders

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
