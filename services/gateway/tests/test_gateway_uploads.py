"""Uploads in pieces: what came is kept, whoever takes the next piece, and the whole is what was sent."""

import hashlib
from typing import Any

import httpx
import pytest
from stemma_artifacts.uploads import UploadStore
from stemma_client.bearer import bearer_of
from stemma_client.settings import ServerAddress
from stemma_contracts.v1.references import UploadRef
from stemma_provisioning import NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.backstage import Backstage
from stemma_testkit.servers import admit

DATA = bytes(range(256)) * 2_000
MORE, LAST = {"Upload-Complete": "?0"}, {"Upload-Complete": "?1"}


async def add(http: httpx.AsyncClient, where: str, offset: int, data: bytes, more: dict[str, str]) -> httpx.Response:
    return await http.patch(where, content=data, headers={"Upload-Offset": str(offset), **more})


@pytest.mark.req("H1")
async def test_a_person_uploads_in_pieces_to_two_gateways_and_goes_on_where_it_broke_off(
    gateway: Any, server: NatsServer, backstage: Backstage
) -> None:
    login = admit(server, "ulla", Role.AUTHOR)
    shown = {"Authorization": f"Bearer {bearer_of(ServerAddress(server.url, 'default', 'ulla', login=login))}"}
    async with (
        gateway() as one,
        gateway() as other,
        httpx.AsyncClient(base_url=one, headers=shown, timeout=30) as http,
        httpx.AsyncClient(base_url=other, headers=shown, timeout=30) as https,
    ):
        begun = await http.post("/uploads?name=media/plan.bin", content=DATA[:200_000], headers=MORE)
        where = begun.headers["location"]
        assert (begun.status_code, begun.headers["upload-offset"]) == (204, "200000")
        wrong = await add(https, where, 100_000, DATA, LAST)
        assert (wrong.status_code, wrong.headers["upload-offset"]) == (409, "200000")
        assert (await https.get(where)).status_code == 404
        assert (await add(https, where, 200_000, DATA[200_000:300_000], MORE)).status_code == 204
        told = (await http.head(where)).headers
        assert (told["upload-offset"], told["upload-complete"]) == ("300000", "?0")
        finished = await add(http, where, 300_000, DATA[300_000:], LAST)
        assert finished.status_code == 201, finished.text
        assert finished.json() == (await https.get(where)).json()
        assert (await add(https, where, len(DATA), b"more", LAST)).status_code == 409
    ref = UploadRef.model_validate(finished.json())
    assert (ref.digest, ref.size, ref.name) == (hashlib.sha256(DATA).hexdigest(), len(DATA), "media/plan.bin")
    assert await UploadStore(backstage.js, "default").get(ref) == DATA


@pytest.mark.req("H1", "S5")
async def test_a_file_that_is_too_long_is_refused_in_whichever_piece_it_becomes_so(http: httpx.AsyncClient) -> None:
    begun = await http.post("/uploads?name=a.bin", content=b"x", headers=MORE)
    beyond = await add(http, begun.headers["location"], 50 * 1024 * 1024, b"x", LAST)
    assert beyond.status_code in (409, 413)
    assert (await http.post("/uploads?name=../a.bin", content=b"x")).status_code == 422


@pytest.mark.req("H1")
async def test_a_file_has_as_many_values_and_whichever_charset_it_likes(http: httpx.AsyncClient) -> None:
    piece, kind = b"0," * 10_001, {"Content-Type": "application/json"}
    whole = await http.post("/uploads?name=prices.json", content=b"[" + piece + b"0]", headers=kind)
    begun = await http.post("/uploads?name=prices.json", content=b"[" + piece, headers=kind | MORE)
    last = await add(http, begun.headers["location"], len(piece) + 1, piece + b"0]", kind | LAST)
    assert (whole.status_code, begun.status_code, last.status_code) == (201, 204, 201)
    charset = {"Content-Type": "text/csv; charset=windows-1252"}
    assert (await http.post("/uploads?name=a.csv", content=b"caf\xe9", headers=charset)).status_code == 201
