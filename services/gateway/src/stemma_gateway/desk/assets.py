"""What pages load: files of this package, each by a name that says which bytes it has."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files
from mimetypes import guess_type

from fastapi import APIRouter, Response
from stemma_contracts.v1.answers import Problem

from stemma_gateway.problems import NotFound
from stemma_gateway.safe_headers import PUBLIC

router = APIRouter()
_FOLDER = files("stemma_gateway") / "desk" / "static"


@cache
def asset(name: str) -> str:
    """The address of a file, below that of the gateway."""
    return f"/desk/static/{sha256((_FOLDER / name).read_bytes()).hexdigest()[:16]}/{name}"


@router.get("/desk/static/{version}/{name}")
async def show_asset(version: str, name: str) -> Response:
    """A file; under another address it is another one, so browsers keep it."""
    names = {file.name for file in _FOLDER.iterdir()}
    if name not in names or asset(name) != f"/desk/static/{version}/{name}":
        raise NotFound(Problem.of("asset_unknown"))
    headers = {"Cache-Control": f"{PUBLIC}max-age=31536000, immutable"}
    return Response((_FOLDER / name).read_bytes(), headers=headers, media_type=guess_type(name)[0])
