"""Ways to give bad input, each with what it is answered."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import nats
import pytest
from nats.aio.client import Client as Nats
from nats.js.errors import NotFoundError
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client, InvalidInputError, RequestRejectedError
from stemma_contracts import subjects
from stemma_generation_graph.app import load_deps
from stemma_generation_graph.deps import Models
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.settings import GenerationSettings
from stemma_messaging import BadSettings
from stemma_orchestrator.app import catalog
from stemma_orchestrator.app import service as orchestrator
from stemma_provisioning import inbox_prefix
from stemma_testkit.house import in_config
from stemma_testkit.servers import eventually

SERVICES = Path(__file__).parents[2] / "services"
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


def config_of(service: str, folder: Path) -> Path:
    """The config folder of an operator; that of the orchestrator has blueprints in it."""
    config = Path(shutil.copytree(SERVICES / service / "config", folder / service))
    return in_config(config) if service == "orchestrator" else config


@asynccontextmanager
async def connected(stemma: LocalStemma, user: str) -> AsyncIterator[Nats]:
    connection = await nats.connect(
        stemma.url, user=user, password=stemma.password(user), inbox_prefix=inbox_prefix(user)
    )
    yield connection
    await connection.close()


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


def load_orchestrator(config: Path) -> None:
    orchestrator.load_settings()
    catalog()


def load_generation(config: Path) -> None:
    load_deps(GenerationSettings(), cast("Models", None), find_graphs(), config)


LOADING = {"orchestrator": load_orchestrator, "generation-graph": load_generation}


def start(service: str, name: str, text: str, **environment: str) -> Act:
    """What a service says when it starts with a file or a variable of this kind."""

    async def act(world: World) -> str:
        config = config_of(service, world.folder)
        (config / name).write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(f"STEMMA_{service.upper().replace('-', '_')}_CONFIG_DIR", str(config))
            for variable, value in environment.items():
                patch.setenv(variable, value)
            with pytest.raises(BadSettings) as refused:
                LOADING[service](config)
        return str(refused.value)

    return act


def blueprint(**changes: object) -> Act:
    return start("orchestrator", "blueprints/note.json", json.dumps(NOTE | changes))


dependencies = partial(start, "orchestrator", "dependencies.json")
settings = partial(start, "orchestrator", "settings.toml")
criteria = partial(start, "generation-graph", "evaluation/default.json")
kinds = partial(start, "generation-graph", "kinds.json")
