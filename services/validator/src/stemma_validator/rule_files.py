"""The configuration files of the linters: read at start, so that a bad one is told before the first draft."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path


class RulesUnusable(Exception):
    """A configuration file is missing or is not what its name says; ``str()`` of it names the file."""


def read_toml_rules(file: Path) -> str:
    """The text of a TOML file; raises `RulesUnusable`."""
    text = _read(file)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesUnusable(f"{file.name}: {error}") from None
    return text


def read_json_rules(file: Path) -> str:
    """The text of a file with a JSON object; raises `RulesUnusable`."""
    text = _read(file)
    try:
        options = json.loads(text)
    except json.JSONDecodeError as error:
        raise RulesUnusable(f"{file.name}: {error}") from None
    if not isinstance(options, dict):
        raise RulesUnusable(f"{file.name}: an object is needed")
    return text


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RulesUnusable(f"{file.name}: file is missing") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RulesUnusable(f"{file.name}: {type(error).__name__}") from None
