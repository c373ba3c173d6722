"""The verb that tells what can be asked for."""

from __future__ import annotations

from functools import partial

from stemma_cli.arguments import AsJson
from stemma_cli.runtime import run


def kinds(as_json: AsJson = False) -> None:
    """List the kinds of documents that can be asked for, and what each consists of.

    Example: stemma kinds
    """
    from stemma_cli.tasks import kinds as tasks

    run(partial(tasks.list_kinds, as_json=as_json))


VERBS = {"kinds": kinds}
