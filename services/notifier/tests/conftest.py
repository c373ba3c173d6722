import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_notifier.notices import Notice, NoticedSection
from stemma_testkit.serving import serving

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
WITHIN_S = 30.0


@dataclass(frozen=True)
class Call:
    """What a receiver was told."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def notice_id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def told(self) -> dict[str, Any]:
        return dict(json.loads(self.body))


class Receiver(ThreadingHTTPServer):
    """Answers with ``status``, or not at all while it is ``silent``; the path is that of a rule."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 204
        self.location = ""
        self.calls: list[Call] = []
        self.arrived = threading.Condition()
        self.stopping = threading.Event()

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"

    def wait_for(self, number: int, path: str | None = None) -> list[Call]:
        """The calls, once there are so many."""

        def found() -> list[Call]:
            return [call for call in self.calls if path in (None, call.path)]

        with self.arrived:
            assert self.arrived.wait_for(lambda: len(found()) >= number, WITHIN_S), found()
            return found()


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        size = int(self.headers["content-length"])
        if len(body := self.rfile.read(size)) < size:
            return  # who calls was killed in the middle of it
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.arrived:
            self.server.calls.append(Call(self.path, headers, body))
            self.server.arrived.notify_all()
        if self.path == "/silent":
            self.server.stopping.wait()
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("location", self.server.location)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    server = Receiver()
    with serving(server, server.stopping):
        yield server


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


def rule(rule_id: str = "r1", **more: Any) -> NotificationRule:
    target = {} if "email" in more else {"webhook": "https://example.com/hook", "secret": SECRET}
    return NotificationRule.model_validate({"rule_id": rule_id, "on": [Occasion.WAITING], **target, **more})


def notice(**more: Any) -> Notice:
    known = {
        "notice_id": "msg_1",
        "tenant": "default",
        "owner": "ada",
        "rule_id": "r1",
        "occasion": Occasion.WAITING,
        "happened_at": datetime(2026, 3, 1, 12, tzinfo=UTC),
        "document_id": "d1",
        "kind": "proposal",
        "sections": [NoticedSection(section_id="research", title="Research")],
        "version": 1,
    }
    return Notice.model_validate(known | more)
