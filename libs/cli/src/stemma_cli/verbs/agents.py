"""The verb that serves agents."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Literal

import typer

from stemma_cli.output import say_json
from stemma_cli.runtime import connected


async def mcp(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the tools with their schemas, and serve nobody.")
    ] = False,
    profile: Annotated[
        Literal["short", "full"], typer.Option("--profile", help="The tools for most work, or all.")
    ] = "short",
) -> None:
    """Serve an agent over MCP on stdin and stdout, in the name of whoever runs this.

    A program that has agents starts it; see `docs/agents.md`. It ends with its input. Tools that your role may not use
    are left out.

    Example: stemma mcp
    """
    from stemma_mcp import Profile, build_server, listed_tools

    chosen = Profile(profile)
    async with connected() as client:
        if as_json:
            say_json(listed_tools(chosen, client.role))
        else:
            await build_server(lambda _: nullcontext(client), lambda _: chosen).run_stdio_async()


VERBS = {"mcp": mcp}
