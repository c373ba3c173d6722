"""How a service starts: its arguments, and a server that is not there yet."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from stemma_messaging import ServiceSettings
from stemma_messaging.connection import ConnectionMonitor, close, connect_options, connected

from .conftest import service_of


def _mend(settings: ServiceSettings) -> None:
    """mend it all and end"""
    print("mended", settings.health_port)


SERVICE = service_of("validator", lambda _: asyncio.sleep(0))


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["stemma-validator", *arguments])
    SERVICE.main({"--mend": _mend})


@pytest.mark.req("P16")
@pytest.mark.parametrize("argument", ["--mendd", "--men", "serve", "--health_port=1"])
def test_an_unknown_argument_is_refused_with_the_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], argument: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        _run(monkeypatch, argument)
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert "usage: stemma-validator [-h] [--mend]" in told
    assert f"unrecognized arguments: {argument}" in told


def test_help_tells_what_the_service_is_and_where_its_settings_stand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        _run(monkeypatch, "--help")
    told = " ".join(capsys.readouterr().out.split())
    assert ended.value.code == 0
    for part in ("--mend mend it all and end", "config/settings.toml", "STEMMA_VALIDATOR_<KEY>", "SIGTERM"):
        assert part in told


def test_a_verb_is_done_with_the_settings_instead_of_serving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STEMMA_VALIDATOR_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("STEMMA_VALIDATOR_HEALTH_PORT", "77")
    _run(monkeypatch, "--mend")
    assert capsys.readouterr().out == "mended 77\n"


async def test_that_no_server_answers_is_told_once_and_without_the_password(
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = ServiceSettings(nats_url="nats://me:hidden@one:4222,two:4222")
    tell = connect_options(settings, "validator", ConnectionMonitor())["error_cb"]
    for _ in range(2):
        await tell(ConnectionRefusedError())
    told = capsys.readouterr().out
    assert told.count("one:4222,two:4222") == told.count("server_unreachable") == 1
    assert "connection_lost" not in told
    assert "hidden" not in told


@pytest.mark.parametrize("steps", range(6))
async def test_a_connection_that_is_being_renewed_is_closed_at_each_step_of_it(lab: Any, steps: int) -> None:
    connection = await connected(lab.settings("validator"), "validator", ConnectionMonitor())
    transport: Any = connection._transport
    transport._io_reader.feed_eof()
    for _ in range(steps):
        await asyncio.sleep(0)
    await close(connection)
    assert connection.is_closed
