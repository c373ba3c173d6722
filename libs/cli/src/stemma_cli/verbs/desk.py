"""The verb that opens the review desk."""

from __future__ import annotations

from typing import Annotated

import typer

from stemma_cli.arguments import AsJson
from stemma_cli.output import say, say_json


def desk(
    document: Annotated[
        str | None, typer.Argument(metavar="[DOC]", help="The id of a document; else the inbox.")
    ] = None,
    gateway: Annotated[
        str | None,
        typer.Option(
            "--gateway", envvar="STEMMA_GATEWAY_PUBLIC_URL", help="Address of the gateway; else that of `stemma up`."
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, and open nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open the review desk in a browser, signed in as whoever runs this.

    Where no browser is, the address is printed: it is good once, for a minute.

    Example: stemma desk
    """
    import webbrowser

    from stemma_client.bearer import bearer_of
    from stemma_client.settings import find_server

    from stemma_cli.local.desk import gateway_at, link_to

    address = link_to(gateway_at(gateway), bearer_of(find_server()), f"/desk/documents/{document}" if document else "")
    if as_json:
        say_json({"address": address})
    elif no_browser or not webbrowser.open(address):
        say(address)


VERBS = {"desk": desk}
