"""Verbs by which a person says who it is."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from stemma_cli.arguments import AsJson
from stemma_cli.runtime import run_offline


def login(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The login that `stemma user add` made.")] = None,
    as_json: AsJson = False,
) -> None:
    """Be the person of a login from now on, or tell who one is.

    The server is asked whether it admits the person; then the login is kept where no other user of this machine can
    read it. What is decided is told in the history under this name.

    Example: stemma login ada.login
    """
    from stemma_cli.tasks import identity

    run_offline(partial(identity.tell if file is None else partial(identity.log_in, file=file), as_json=as_json))


def logout(as_json: AsJson = False) -> None:
    """Forget the login of this machine; whoever has the file may still log in by it.

    Example: stemma logout
    """
    from stemma_cli.tasks import identity

    run_offline(partial(identity.log_out, as_json=as_json))


VERBS = {"login": login, "logout": logout}
