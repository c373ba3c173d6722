"""Help for narrow terminals: plain, with every name whole on a line of its own and what it means below it."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

NARROW = 80
"""Columns of a terminal below which the panels would cut names."""
UNCUT = 1_000
"""Letters that the first sentence about a verb may have."""


class Verb(TyperCommand):
    """A verb whose plain help has no columns."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options."""
        _write_parameters(self, ctx, formatter)


class Verbs(TyperGroup):
    """The command whose plain help has no columns."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Options and verbs."""
        _write_parameters(self, ctx, formatter)
        shown = ((name, verb) for name, verb in self.commands.items() if not verb.hidden)
        described = [(name, verb.get_short_help_str(limit=UNCUT)) for name, verb in shown]
        _write(formatter, "Commands", described)


def _write_parameters(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any) -> None:
    records = [(parameter.param_type_name, parameter.get_help_record(ctx)) for parameter in command.get_params(ctx)]
    for kind in ("argument", "option"):
        described = [record for its_kind, record in records if its_kind == kind and record is not None]
        if described:
            _write(formatter, f"{kind.title()}s", described)


def _write(formatter: Any, heading: str, described: list[tuple[str, str]]) -> None:
    with formatter.section(heading):
        formatter.write_dl(described, col_max=0)
