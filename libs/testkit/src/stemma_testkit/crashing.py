"""A service process that ends hard, as by ``kill -9``, at a chosen effect on the server.

The process is none the wiser: `Crashes.env` has it wrap the two calls of nats-py through which every effect goes. Each
effect leaves a line in a file; at the one that is armed the process ends.
"""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nats.aio.client import Client

from .customizing import env_of

When = Literal["before", "after"]
KILLED = 137
_CODE = "from pathlib import Path\n\nfrom stemma_testkit.crashing import install\n\ninstall(Path({!r}))\n"
_ACKS = (b"", b"+ACK")


@dataclass(frozen=True)
class Point:
    """Just before or just after an effect of a kind; ``occurrence`` counts from 1 since the effects were forgotten."""

    effect: str
    occurrence: int
    when: When

    def __str__(self) -> str:
        return f"{self.when} {self.effect} #{self.occurrence}"


class Crashes:
    """The effects of one service, and where it is to end; the folder is shared with its process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._effects = folder / "effects"
        self._armed = folder / "armed"
        self.env = env_of(folder, _CODE.format(str(folder)))
        """What the environment of the process must hold."""
        self.forget()

    @property
    def armed(self) -> bool:
        return self._armed.exists()

    def effects(self) -> list[str]:
        return self._effects.read_text().splitlines()

    def forget(self) -> None:
        """Count anew, without a point."""
        self._armed.unlink(missing_ok=True)
        self._effects.write_text("")

    def arm(self, point: Point) -> None:
        part = self._folder / "part"
        part.write_text(f"{point.when}\n{point.occurrence}\n{point.effect}")
        part.replace(self._armed)


def install(folder: Path) -> None:
    request, publish = Client.request, Client.publish

    async def counted_request(client: Client, subject: str, payload: bytes = b"", *args: Any, **kwargs: Any) -> Any:
        return await _counted(folder, subject, payload, lambda: request(client, subject, payload, *args, **kwargs))

    async def counted_publish(client: Client, subject: str, payload: bytes = b"", *args: Any, **kwargs: Any) -> None:
        async def published() -> None:
            await publish(client, subject, payload, *args, **kwargs)
            if _is_ack(subject, payload):
                await client.flush()

        if _is_ack(subject, payload):
            await _counted(folder, subject, payload, published)
        else:
            await publish(client, subject, payload, *args, **kwargs)

    Client.request = counted_request  # type: ignore[method-assign, assignment]
    Client.publish = counted_publish  # type: ignore[method-assign, assignment]


async def _counted(folder: Path, subject: str, payload: bytes, call: Callable[[], Awaitable[Any]]) -> Any:
    effect = effect_of(subject, payload)
    if effect is None:
        return await call()
    occurrence = _noted(folder, effect)
    _end_at(folder, Point(effect, occurrence, "before"))
    result = await call()
    _end_at(folder, Point(effect, occurrence, "after"))
    return result


def effect_of(subject: str, payload: bytes) -> str | None:
    """The kind of an effect on the server; None for a call that leaves nothing there."""
    match subject.split("."):
        case ["stemma", "event", *_, name]:
            return f"append {name}"
        case ["stemma", "job" | "outcome" as family, *_, name]:
            return f"publish {family} {name}"
        case ["stemma", "answer", *_]:
            return "publish answer"
        case ["stemma", "artifact", *_] | ["$O", *_]:
            return "write artifact"
        case ["stemma", "record", *_]:
            return "write record"
        case ["$KV", bucket, *_]:
            return f"write {bucket}"
        case ["$JS", "ACK", *tokens] if payload in _ACKS:
            return f"acknowledge {tokens[2] if len(tokens) > 7 else tokens[0]}"
        case _:
            return None


def _is_ack(subject: str, payload: bytes) -> bool:
    return (effect_of(subject, payload) or "").startswith("acknowledge")


def _noted(folder: Path, effect: str) -> int:
    with (folder / "effects").open("a+") as file:
        file.write(f"{effect}\n")
        file.seek(0)
        return file.read().splitlines().count(effect)


def _end_at(folder: Path, point: Point) -> None:
    armed = folder / "armed"
    try:
        when, occurrence, effect = armed.read_text().split("\n")
    except FileNotFoundError:
        return
    if (when, int(occurrence), effect) == (point.when, point.occurrence, point.effect):
        armed.unlink()
        os._exit(KILLED)
