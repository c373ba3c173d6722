import socket

import pytest
from stemma_testkit import serving


@pytest.mark.req("E6")
def test_a_free_port_is_none_that_somebody_listens_on_or_that_connections_take(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        taken = int(listening.getsockname()[1])
        free = serving.free_port()
        monkeypatch.setattr(serving, "KEPT", (taken, free))
        assert {serving.free_port() for _ in range(20)} == {free}
        assert taken not in range(20_000, 32_000)
