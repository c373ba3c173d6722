"""Problem codes: each names one thing that can be wrong, and has a sentence for people in each language.

``en.json`` is the one list of codes. Its sentences say what each code means, and their places name its parameters.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter

LANGUAGES = ("en", "de")
WRITTEN_IN = LANGUAGES[0]
"""The language of `Problem.message`."""
MAX_PARAM = 1000
"""Characters of a parameter, which may be a caller's text."""

Param = str | int | float
Params = Mapping[str, Param]


def codes() -> tuple[str, ...]:
    """All codes, sorted."""
    return tuple(_sentences(WRITTEN_IN))


def parameters(code: str, language: str = WRITTEN_IN) -> frozenset[str]:
    """The names of the parameters of a code; raises `KeyError` for an unknown code."""
    return frozenset(name for _, name, _, _ in Formatter().parse(_sentences(language)[code]) if name)


def shortened(params: Params) -> dict[str, Param]:
    """Parameters that can be encoded and are not too long, whatever text they hold."""
    return {name: _shortened(value) if isinstance(value, str) else value for name, value in params.items()}


def message(code: str, params: Params) -> str:
    """The English sentence of a problem; raises `ValueError` unless the parameters are those of the code."""
    if params.keys() != parameters(code):
        raise ValueError(f"{code} has the parameters {sorted(parameters(code))}, not {sorted(params)}")
    return _sentences(WRITTEN_IN)[code].format_map(params)


def template(code: str, params: Params, language: str) -> str | None:
    """The sentence of a problem that another release may have made, with its places; None without words for it."""
    found = _sentences(language).get(code)
    return found if found is not None and parameters(code, language) <= params.keys() else None


def sentence(code: str, params: Params, language: str) -> str | None:
    """The same with the parameters in their places."""
    found = template(code, params, language)
    return None if found is None else found.format_map(params)


def described() -> str:
    """All codes with their meaning, for descriptions of interfaces."""
    return "\n".join(f"- `{code}`: {meaning}" for code, meaning in _sentences(WRITTEN_IN).items())


@cache
def _sentences(language: str) -> Mapping[str, str]:
    found: dict[str, str] = json.loads((files(__name__) / f"{language}.json").read_text(encoding="utf-8"))
    return found


def _shortened(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode()
    return whole if len(whole) <= MAX_PARAM else f"{whole[: MAX_PARAM - 1]}…"
