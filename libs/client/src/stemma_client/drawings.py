"""Drawings (SVG) that a person adds to a text: the converter draws them, as it does with those among the inputs."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

from stemma_contracts.v1 import events as e

from .client import Client
from .errors import InvalidInputError

SUFFIX = ".svg"


async def drawn(client: Client, document_id: str, file: Path, name: str) -> str:
    """The name of the image that a drawing becomes, which sections may show; the drawing is an input called ``name``.

    Raises `InvalidInputError` if it cannot be drawn.
    """
    view = await client.document(document_id)
    if not any(one.name == name for one in view.input_views if one.state != "withdrawn"):
        await client.add_input(document_id, file, name=name)
    input_id = ""
    async with aclosing(client.follow(document_id)) as happened:
        async for event in happened:
            match event.contract:
                case e.DocumentInputAdded(file=given, input_id=found) if given.name == name:
                    input_id = found
                case e.DocumentInputRead(input_id=found, reading=reading) if found == input_id and reading.images:
                    return reading.images[0].name
                case e.DocumentInputUnreadable(input_id=found, unreadable=why) if found == input_id:
                    raise InvalidInputError(f"{file} cannot be drawn: {why.detail or why.reason}")
                case _:
                    pass
    raise InvalidInputError(f"{file} was not drawn: the connection was closed")
