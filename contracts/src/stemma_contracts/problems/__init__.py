"""Problem codes: each names one thing that can be wrong, and has an English sentence for people.

``en.json`` is the one list of codes. Its sentences say what each code means, and their places name its parameters.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter

WRITTEN_IN = "en"
"""The language of `Problem.message`."""
MAX_PARAM = 1000
"""Characters of a parameter, which may be a caller's text."""

Param = str | int | float
Params = Mapping[str, Param]


def codes() -> tuple[str, ...]:
    """All codes, sorted."""
    return tuple(_sentences())


def parameters(code: str) -> frozenset[str]:
    """The names of the parameters of a code; raises `KeyError` for an unknown code."""
    return places(_sentences()[code])


def places(sentence: str) -> frozenset[str]:
    """The names of the parameters that have a place in a sentence."""
    return frozenset(name for _, name, _, _ in Formatter().parse(sentence) if name)


def shortened(params: Params) -> dict[str, Param]:
    """Parameters that can be encoded and are not too long, whatever text they hold."""
    return {name: _shortened(value) if isinstance(value, str) else value for name, value in params.items()}


def message(code: str, params: Params) -> str:
    """The English sentence of a problem; raises `ValueError` unless the parameters are those of the code."""
    if params.keys() != parameters(code):
        raise ValueError(f"{code} has the parameters {sorted(parameters(code))}, not {sorted(params)}")
    return _sentences()[code].format_map(params)


def described() -> str:
    """All codes with their meaning, for descriptions of interfaces."""
    return "\n".join(f"- `{code}`: {meaning}" for code, meaning in _sentences().items())


@cache
def _sentences() -> Mapping[str, str]:
    found: dict[str, str] = json.loads((files(__name__) / "en.json").read_text(encoding="utf-8"))
    return found


def _shortened(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode()
    return whole if len(whole) <= MAX_PARAM else f"{whole[: MAX_PARAM - 1]}…"
