"""How much garbage the server of one machine keeps before it collects it."""

from __future__ import annotations

from pathlib import Path

import pytest
from stemma_provisioning import NatsServer


def told(server: NatsServer) -> bytes:
    variables = Path(f"/proc/{server.pid}/environ").read_bytes().split(b"\0")
    (found,) = [variable for variable in variables if variable.startswith(b"GOGC=")]
    return found


@pytest.mark.req("E1")
def test_the_server_keeps_less_garbage_than_go_would_unless_its_environment_says_how_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOGC", raising=False)
    with NatsServer(tmp_path / "own") as server:
        assert told(server) == b"GOGC=25"
    monkeypatch.setenv("GOGC", "200")
    with NatsServer(tmp_path / "other") as server:
        assert told(server) == b"GOGC=200"
