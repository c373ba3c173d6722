"""Answers of a person to what a section asks, in words or image by image."""

from __future__ import annotations

from collections.abc import Iterable

from stemma_contracts.v1.needs import SKIP
from stemma_contracts.v1.views import SectionView

from stemma_cli.exit_codes import CliError, ExitCode


def open_need(section: SectionView) -> str:
    if section.need is None:
        raise CliError(ExitCode.FAILED, f"{section.section_id} asks for nothing", "see `stemma inbox` for what waits")
    return section.need.need_id


def decisions(skip: Iterable[str], use: Iterable[str]) -> dict[str, str]:
    """What becomes of missing images that are left out or are among the inputs."""
    return dict.fromkeys(skip, SKIP) | dict(map(parse_assignment, use))


def parse_assignment(given: str) -> tuple[str, str]:
    """An image and what stands for it."""
    name, equals, value = given.partition("=")
    if not (name and equals and value):
        raise CliError(ExitCode.USAGE, f"{given!r} does not look like IMAGE=FILE", "see `stemma answer --help`")
    return name, value


def check_names(section: SectionView, named: set[str]) -> None:
    """A misspelt image would be asked for again, with no word why."""
    asked = {entry.reference for entry in section.need.references} if section.need else set()
    if unknown := sorted(named - asked):
        words = f"{section.section_id} does not ask for {unknown[0]!r}"
        raise CliError(ExitCode.USAGE, words, f"it asks for {', '.join(sorted(asked)) or 'words'}")
