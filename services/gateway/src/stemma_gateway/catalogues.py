"""The words of the pages: one gettext catalogue for each language, ``words/en.po`` and ``words/de.po``.

An id names what is said, and all catalogues have it. The contexts are ``name`` (of a criterion, check or warning),
``rule`` (of a check) and ``problem``: a code of a problem, whose English sentence is in the contracts.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations
from stemma_contracts import problems

LANGUAGES = ("en", "de")
WRITTEN_IN = problems.WRITTEN_IN


class Words(Mapping[str, str]):
    """The words of one language and context by their ids."""

    def __init__(self, catalog: Catalog, translations: Translations, context: str | None) -> None:
        self._translations = translations
        self._words = {_last(each.id): _last(each.string) for each in catalog if each.id and each.context == context}

    def __getitem__(self, key: str) -> str:
        return self._words[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def plural(self, key: str, number: int, *shown: object) -> str:
        """The words for a number of things, with it in its place or with what is shown instead."""
        if key not in self._words:
            raise KeyError(key)
        return self._translations.ngettext(key, key, number) % (shown or (number,))


def _last(forms: str | Sequence[str] | None) -> str:
    return forms if isinstance(forms, str) else (forms or ("",))[-1]


@cache
def words(language: str, context: str | None = None) -> Words:
    return Words(*_catalogue(language), context)


def sentence(code: str, params: problems.Params, language: str) -> str:
    """What a problem says, with the places of its parameters; empty without words for what another release made."""
    found = words(language, "problem").get(code, "")
    return found if problems.places(found) <= params.keys() else ""


@cache
def _catalogue(language: str) -> tuple[Catalog, Translations]:
    with (files("stemma_gateway") / "words" / f"{language}.po").open("rb") as file:
        catalog = read_po(file)
    compiled = BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    return catalog, Translations(compiled)
