"""What nobody can use is answered with an error that names it; nothing of it stays, and everything goes on."""

import json
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nats
import pytest
import pytest_asyncio
from faults_here import as_user, here
from nats.aio.client import Client as Nats
from nats.js.errors import NotFoundError
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client, InvalidInputError, RequestRejectedError
from stemma_contracts import subjects
from stemma_provisioning import PROVISIONER
from stemma_testkit.house import in_config
from stemma_testkit.servers import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")
WATCHED = (subjects.EVENTS, subjects.JOBS, subjects.DEAD)
CONFIG = Path(__file__).parents[2] / "services" / "orchestrator" / "config"
GOOD = {"kind": "proposal", "brief": "A garden."}
MIB = 1024**2
SECTION = {"id": "a", "title": "A", "kind": "default", "purpose": "p"}
NOTE = {"kind": "note", "title": "Note", "sections": [SECTION]}


@dataclass
class World:
    """An installation with no worker, its callers, and a folder for files."""

    stemma: LocalStemma
    client: Client
    plain: Nats
    folder: Path


Act = Callable[[World], Awaitable[str]]


def ask(body: object, name: str = "create-document", **headers: str) -> Act:
    """Publish a request as any client can, and read what is wrong with it."""

    async def act(world: World) -> str:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        stream = world.plain.jetstream()
        subject = f"stemma.request.v1.default.{name}"
        sent = await stream.publish(subject, data, headers={k.replace("_", "-"): v for k, v in headers.items()})
        return words(await answer_to(world.plain, f"seq-{sent.seq}"))

    return act


async def answer_to(plain: Nats, request_id: str) -> Any:
    found: list[Any] = []

    async def there() -> bool:
        try:
            message = await plain.jetstream().get_msg(
                subjects.ANSWERS, subject=subjects.answer("default", request_id), direct=True
            )
        except NotFoundError:
            return False
        found.append(json.loads(message.data or b""))
        return True

    await eventually(there)
    return found[0]


async def is_empty(admin: Nats, stream: str) -> bool:
    return (await admin.jetstream().stream_info(stream)).state.messages == 0


def words(answer: Any) -> str:
    reasons = [f"{problem['field']}: {problem['message']}" for problem in answer["problems"]]
    return "; ".join([*reasons, *(f"{name} is unknown" for name in answer.get("ignored_fields", ()))])


def publish(size: int) -> Act:
    """A message that the server itself refuses."""

    async def act(world: World) -> str:
        with pytest.raises(nats.errors.Error) as refused:
            await world.plain.jetstream().publish("stemma.request.v1.default.create-document", b"x" * size)
        return str(refused.value)

    return act


def inputs(make: Callable[[Path], Path]) -> Act:
    """A document from files, by our client."""

    async def act(world: World) -> str:
        with pytest.raises((InvalidInputError, RequestRejectedError)) as refused:
            await world.client.create_document("proposal", brief="A garden.", inputs=[make(world.folder)])
        return str(refused.value)

    return act


def file(name: str, data: bytes = b"x", size: int = 0) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        with (folder / name).open("ab") as opened:
            opened.truncate(max(size, len(data)))
        return folder

    return make


def link(target: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / "link.md").symlink_to(target)
        return folder

    return make


def described(**described_as: object) -> Act:
    """An input as a client describes it that checks nothing."""
    upload = {"object_name": "o", "digest": "0" * 64, "size": 3, "media_type": "text/plain", "name": "a.txt"}
    return ask(GOOD | {"inputs": [upload | described_as]})


async def long_brief(world: World) -> str:
    with pytest.raises(RequestRejectedError) as refused:
        await world.client.create_document("proposal", brief="word " * 400_000)
    return str(refused.value)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stemma(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalStemma]:
    config = in_config(Path(shutil.copytree(CONFIG, tmp_path_factory.mktemp("config") / "orchestrator")))
    unknown = NOTE | {"sections": [SECTION | {"graph": "no_such_graph"}]}
    (config / "blueprints" / "note.json").write_text(json.dumps(unknown))
    local = LocalStemma(tmp_path_factory.mktemp("stemma"), services=[])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEMMA_ORCHESTRATOR_CONFIG_DIR", str(config))
        async with local as running, here(running, [subjects.ORCHESTRATOR], running.url):
            async with as_user(running, PROVISIONER) as admin:
                known = await admin.jetstream().key_value(subjects.CAPABILITIES_BUCKET)
                await known.put(subjects.GENERATION, b'{"graphs": ["section"]}')
            yield running


@pytest_asyncio.fixture(loop_scope="module")
async def world(stemma: LocalStemma, tmp_path: Path) -> AsyncIterator[World]:
    async with stemma.client() as client, as_user(stemma, "client-default") as plain:
        yield World(stemma, client, plain, tmp_path)


APPROVE = {"document_id": "d", "section_id": "s", "version": 1}

CASES: dict[str, tuple[Act, str]] = {
    "not JSON": (ask(b"kind: proposal"), "the body is not JSON: Expecting value"),
    "no object": (ask([1]), "the body must be a JSON object"),
    "not UTF-8": (ask(b"\xff\xfe\x00"), "the body is not JSON"),
    "nested without end": (ask(b"[" * 50_000), "the body is not JSON"),
    "a missing field": (ask({"brief": "x"}), "kind: Field required"),
    "a misspelt field": (
        ask({"kind": "proposal", "brieff": "x"}),
        "^brief: give exactly one .*; brieff is unknown$",
    ),
    "a misspelt field beside an unknown kind": (
        ask(GOOD | {"kind": "poem", "titel": "x"}),
        "^kind: 'poem' is not known; .*; titel is unknown$",
    ),
    "a wrong type": (ask(GOOD | {"brief": 3}), "brief: Input should be a valid string"),
    "a wrong type inside": (ask(GOOD | {"inputs": [{"name": 7}]}), "inputs.0.name: Input should be a valid string"),
    "an unknown kind": (ask(GOOD | {"kind": "poem"}), "kind: 'poem' is not known; known are: .*proposal"),
    "an unknown section": (ask(GOOD | {"sections": ["epilogue"]}), "sections.0: proposal has no section 'epilogue'"),
    "an unknown document": (ask(APPROVE, "approve-section"), "document_id: no document is called"),
    "an unknown request": (ask({}, "sing-song"), "subject: 'sing-song' is not known here; known are: .*edit-section"),
    "a wildcard in the name": (ask(GOOD, "create*"), "subject: 'create\\*' is not known here"),
    "a newer version": (ask(GOOD, ce_type="stemma.create.document.v9"), "ce-type: 'stemma.create.document.v9' is not"),
    "another type": (ask(GOOD, ce_type="stemma.keep.section.v1"), "ce-type: .* does not belong on the subject"),
    "a wildcard in an id": (
        ask(APPROVE | {"document_id": "d.*"}, "approve-section"),
        "document_id: String should match",
    ),
    "a wildcard in a request id": (ask(GOOD | {"request_id": ">"}), "request_id: String should match"),
    "a body of 70 KB": (ask(GOOD | {"brief": "x" * 70_000}), "brief: it takes 70002 of the .* send it as brief_upload"),
    "a body of 150 KB": (publish(150_000), "message size exceeds maximum allowed"),
    "a body of 2 MB": (publish(2_000_000), "maximum payload exceeded"),
    "an empty brief": (ask(GOOD | {"brief": ""}), "brief: String should have at least 1 character"),
    "a blank brief": (ask(GOOD | {"brief": " \n"}), "brief is blank"),
    "a brief of 2 MB": (long_brief, "brief_upload: brief.md has 2000000 bytes; at most 1048576 are taken"),
    "a name that commands a terminal": (inputs(file("a\x1b[2J.md")), "file name must not have hidden, '..' or control"),
    "a name that leads out": (described(name="../../etc/passwd"), "inputs.0.name: .*must not have"),
    "a link that leads out": (inputs(link("/etc/passwd")), "link.md is a link that leads out of"),
    "a file of 51 MB": (inputs(file("plan.dwg", size=51 * MIB)), "plan.dwg is larger than 50 MiB"),
    "a file that says it has 51 MB": (
        described(size=51 * MIB, media_type="application/pdf"),
        "inputs.0: a.txt has 53477376 bytes; at most 52428800 are taken",
    ),
    "a file that was not uploaded": (described(), "inputs.0: there is no such upload; upload it first"),
    "an unknown graph": (ask(GOOD | {"kind": "note"}), "kind: its blueprint needs the graph 'no_such_graph'"),
}


@pytest.mark.req("E3", "P17")
@pytest.mark.parametrize(("act", "told"), CASES.values(), ids=list(CASES))
async def test_bad_input_is_answered_by_what_is_wrong_with_it(world: World, act: Act, told: str) -> None:
    before = await state_of(world)

    assert re.search(told, said := await act(world)), said

    assert await state_of(world) == before


@pytest.mark.req("I1", "I2")
@pytest.mark.parametrize(
    ("name", "data", "state"),
    [
        ("latin.md", b"caf\xe9", "reading"),
        ("drawing.png", b"<svg/>", "unreadable"),
        ("long.md", b"x " * (3 * MIB), "unreadable"),
        ("empty.md", b"", "unreadable"),
    ],
    ids=["in a code page", "an image that is none", "of 6 MB", "empty"],
)
async def test_a_file_that_may_not_be_readable_refuses_neither_the_request_nor_the_others(
    world: World, name: str, data: bytes, state: str
) -> None:
    (world.folder / "good.md").write_text("The garden has 12 beds.")
    (world.folder / name).write_bytes(data)
    accepted = await world.client.create_document("proposal", brief="A garden.", inputs=[world.folder])
    views = (await world.client.document(accepted.document_id, at_least=accepted.sequence or 0)).input_views
    states = {view.name: view.state for view in views if view.input_id != "brief"}
    assert states == {name: state, "good.md": "read"}


async def state_of(world: World) -> dict[str, int]:
    """What is stored when no request is left."""
    async with as_user(world.stemma, PROVISIONER) as admin:
        await eventually(lambda: is_empty(admin, subjects.REQUESTS))
        return {name: (await admin.jetstream().stream_info(name)).state.messages for name in WATCHED}


@pytest.mark.req("E2", "E3")
async def test_fields_that_nobody_knows_are_told_and_do_no_harm(world: World) -> None:
    body = GOOD | {"colour": "red", "request_id": "tolerated"}
    await world.plain.jetstream().publish("stemma.request.v1.default.create-document", json.dumps(body).encode())
    answer = await answer_to(world.plain, "tolerated")
    assert (bool(answer["document_id"]), answer["ignored_fields"]) == (True, ["colour"])
