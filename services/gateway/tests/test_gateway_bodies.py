"""Bodies of requests: none is longer, slower, or more of all that are held in memory than the bounds allow."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from stemma_gateway.middlewares import BodyBounds, BodyLimit
from stemma_gateway.problems import HttpError

from .conftest import problem

pytestmark = pytest.mark.req("H1", "S5")
COMMAND = "/documents/d1/approve-section"
JSON = {"Content-Type": "application/json"}
MEGABYTE = 1024 * 1024


async def raw(url: str, head: str, body: bytes, length: int = MEGABYTE, host: str = "127.0.0.1") -> bytes:
    """What is answered to a request whose body does not come to its end, until the connection is closed."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(f"{head}\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n".encode() + body)
    async with asyncio.timeout(30):
        answer = await reader.read()
    writer.close()
    return answer


async def test_a_body_that_does_not_go_on_is_waited_for_no_longer(gateway: Any, token: Any) -> None:
    async with gateway(asks_within_s=0.3, least_bytes_per_s=1e6) as url:
        unknown = await raw(url, f"POST {COMMAND} HTTP/1.1\r\nContent-Type: application/json", b"{")
        known = await raw(url, f"POST /uploads?name=a.md HTTP/1.1\r\nAuthorization: Bearer {token()}", b"#")
    for answer in (unknown, known):
        head, _, told = answer.partition(b"\r\n\r\n")
        assert (head.split()[1], b"connection: close" in head.lower()) == (b"408", True)
        assert b"urn:stemma:problem:too-slow" in told


async def test_a_body_that_came_well_so_far_has_more_time() -> None:
    pieces = iter([b"x" * 100, b"y"])

    async def receive() -> dict[str, Any]:
        piece = next(pieces)
        await asyncio.sleep(0.2 if piece == b"y" else 0)
        return {"type": "http.request", "body": piece, "more_body": piece != b"y"}

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        got.extend([await receive(), await receive()])

    async def send(_message: Any) -> None:
        raise AssertionError("nothing is refused")

    got: list[Any] = []
    bounds = BodyBounds(file=1000, text=1000, texts=1000, within_s=0.1, bytes_per_s=1)
    await BodyLimit(app, bounds)({"type": "http", "path": "/", "headers": []}, receive, send)
    assert b"".join(message["body"] for message in got) == b"x" * 100 + b"y"


async def test_a_command_is_no_file_whatever_it_says_it_is(address: str) -> None:
    form = f"POST {COMMAND} HTTP/1.1\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=x"
    answer = await raw(address, form, b"", 17 * MEGABYTE)
    assert answer.split()[1] == b"413"


async def test_a_body_with_more_values_than_a_request_has_is_read_by_nobody(http: httpx.AsyncClient) -> None:
    for path in (COMMAND, "/mcp"):
        answer = await http.post(path, content=b"[" + b"0," * 10_001, headers=JSON)  # is no JSON, which nobody sees
        assert (answer.status_code, answer.json()["code"]) == (413, "body_values_too_many")


@pytest.mark.parametrize("name", ["content-type", "content-length", "transfer-encoding"])
async def test_a_type_or_a_length_that_is_told_twice_is_refused_whatever_the_server_let_through(name: str) -> None:
    async def nobody(*_: Any) -> Any:
        raise AssertionError("the request goes no further")

    async def send(message: Any) -> None:
        sent.append(message)

    sent: list[Any] = []
    bounds = BodyBounds(file=1000, text=1000, texts=1000, within_s=1, bytes_per_s=1)
    headers = [(name.encode(), value) for value in (b"1", b"2")]
    await BodyLimit(nobody, bounds)({"type": "http", "path": "/", "headers": headers}, nobody, send)
    assert (sent[0]["status"], b"header_repeated" in sent[1]["body"]) == (400, True)


async def test_json_in_the_fields_of_a_form_has_no_more_values_than_a_request(http: httpx.AsyncClient) -> None:
    form = {"kind": "proposal", "brief": "x," * 10_001, "outline": f"[{'0,' * 6_000}", "sections": f"[{'0,' * 6_000}"}
    answer = await http.post("/documents", data=form, files={"inputs": ("a.md", b"x")})
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (413, "sections")
    assert answer.json()["code"] == "body_values_too_many"


async def test_a_form_names_no_codec_by_which_it_is_read(http: httpx.AsyncClient) -> None:
    form = b'--x\r\nContent-Disposition: form-data; name="kind"\r\n\r\na-b\r\n--x--\r\n'
    told = {}
    for charset in ("punycode", "UTF-8"):
        kind = {"Content-Type": f'multipart/form-data; boundary=x; charset="{charset}"'}
        told[charset] = problem(await http.post("/documents", content=form, headers=kind))
    assert told == {"punycode": (415, "unsupported-media-type"), "UTF-8": (422, "invalid")}


async def test_all_texts_that_come_at_a_time_are_bounded_and_room_comes_back(gateway: Any, caller: Any) -> None:
    async with gateway(max_texts_bytes=1000) as url, caller(url) as http:
        for _ in range(3):
            assert problem(await http.post(COMMAND, content=b" " * 1001, headers=JSON)) == (503, "busy")
            assert problem(await http.post(COMMAND, content=b"{}".ljust(900), headers=JSON)) == (422, "invalid")


async def test_who_sends_many_bodies_leaves_memory_to_other_addresses() -> None:
    held = asyncio.Event()
    answers: list[tuple[str, str]] = []

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        await receive()
        await held.wait()

    async def send_from(host: str) -> None:
        scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "client": (host, 1)}
        sent = iter([{"type": "http.request", "body": b"x" * 100, "more_body": False}])

        async def receive() -> dict[str, Any]:
            return next(sent)

        async def send(_message: Any) -> None:
            raise AssertionError("this application answers nothing")

        try:
            await limit(scope, receive, send)
        except HttpError as error:
            answers.append((host, error.kind))

    limit = BodyLimit(app, BodyBounds(file=1000, text=1000, texts=1000, within_s=10, bytes_per_s=1))
    async with asyncio.TaskGroup() as sending:
        for host in [*["198.51.100.1"] * 10, *["198.51.100.2"] * 2]:
            sending.create_task(send_from(host))
        await asyncio.sleep(0)
        held.set()
    assert {host for host, _ in answers} == {"198.51.100.1"}
    assert {kind for _, kind in answers} == {"too-many-requests"}


async def test_a_request_whose_length_is_told_in_two_ways_is_refused_and_its_connection_closed(address: str) -> None:
    head = f"POST {COMMAND} HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json"
    second = b"0\r\n\r\nGET /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    answers = [await raw(address, head, second, 5, host) for host in ("127.0.0.1", "evil.example")]
    for answer in answers:
        assert answer.startswith(b"HTTP/1.1 400")
        assert (b"urn:stemma:problem:bad-header" in answer, answer.count(b"HTTP/1.1")) == (True, 1)


@pytest.mark.full
@pytest.mark.parametrize("announced", [True, False])
async def test_a_long_body_of_json_is_not_held_in_memory(process: Any, announced: bool) -> None:
    async def body() -> Any:
        yield b'{"text": "'
        for _ in range(100):
            yield b"x" * MEGABYTE

    length = {"Content-Length": str(100 * MEGABYTE + 10)} if announced else {}
    async with process() as running, httpx.AsyncClient(base_url=running.url, timeout=30) as nobody:
        await nobody.post("/documents/d1/edit-section", json={})
        before = running.peak_bytes()
        try:
            got = await nobody.post(
                "/documents/d1/edit-section", content=body(), headers={"Content-Type": "application/json", **length}
            )
        except httpx.TransportError:
            got = None
        grown = running.peak_bytes() - before
    print(f"100 MB of JSON: {grown / MEGABYTE:.0f} MB more")
    assert got is None or problem(got) == (413, "too-large")
    assert grown < 60 * MEGABYTE


async def test_a_brief_that_is_a_long_file_is_to_be_uploaded(http: httpx.AsyncClient) -> None:
    brief = [("brief", ("brief.md", b"x" * (17 * MEGABYTE)))]
    got = await http.post("/documents", data={"kind": "proposal"}, files=brief)

    assert problem(got) == (413, "too-large")
    assert "brief_upload" in got.json()["detail"]
