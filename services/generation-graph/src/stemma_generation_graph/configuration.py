"""What is wrong with a configuration file, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


class ConfigurationError(ValueError):
    """A configuration file that refuses the start; the message names file and field."""


def by_name(folder: str, files: Mapping[str, Path]) -> dict[str, Path]:
    """The files of a folder by what they are named for. Raises `ConfigurationError` naming one in a folder below it."""
    for name in files:
        if "/" in name:
            raise ConfigurationError(f"{folder}/{name}: it must be in {folder} itself")
    return {file.stem: file for file in files.values()}
