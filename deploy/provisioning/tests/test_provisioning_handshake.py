"""A server that closes before the handshake is over is asked again, by who admits as well."""

import asyncio
from asyncio import StreamReader, StreamWriter
from pathlib import Path

import pytest
from stemma_contracts.connections import tls_of
from stemma_provisioning import NatsServer, admission
from stemma_provisioning.admission import admitting
from stemma_provisioning.config import ServerTls
from stemma_provisioning.server import ADMITTED
from stemma_testkit.certificates import Authority
from stemma_testkit.cutting import Cuttable


class ClosesFirst(Cuttable):
    """Closes the first connection as soon as the handshake has begun, as a server that is killed would."""

    first = True

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """One connection."""
        if self.first:
            self.first = False
            await reader.read(1)
            writer.close()
            return
        await super().serve(reader, writer)


@pytest.mark.req("S7", "F4")
async def test_the_admission_comes_back_from_a_handshake_that_was_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "HANDSHAKE_WITHIN_S", 1.0)
    authority = Authority(tmp_path)
    own, caller = authority.certify("server"), authority.certify("caller")
    tls = tls_of(
        {
            "STEMMA_NATS_CA_FILE": str(authority.ca),
            "STEMMA_NATS_CERT_FILE": str(caller.certificate),
            "STEMMA_NATS_KEY_FILE": str(caller.key),
        }
    )
    with NatsServer(tmp_path / "nats", tls=ServerTls(own.certificate, own.key, authority.ca)) as server:
        host, port = server.url.removeprefix("nats://").removeprefix("tls://").split(":")
        between = ClosesFirst(host, int(port))
        async with await asyncio.start_server(between.serve, host, 0) as listening:
            url = f"nats://{host}:{listening.sockets[0].getsockname()[1]}"
            async with asyncio.timeout(30), admitting(url, tmp_path / "nats" / ADMITTED, server.seals, tls) as client:
                assert client.is_connected
        assert not between.first
