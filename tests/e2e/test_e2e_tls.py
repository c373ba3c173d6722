"""Encrypted connections and secret keys, for everybody who connects; who is not trusted is told nothing."""

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from stemma_client import AccessDeniedError, Client, InvalidAddressError, InvalidLoginError, ServerUnreachableError
from stemma_client.logins import new_seed, public_key, write_login
from stemma_contracts import subjects
from stemma_contracts.v1.review import ReviewMode
from stemma_messaging import BadSettings, BusFailed
from stemma_orchestrator.app import service as orchestrator
from stemma_provisioning import PROVISIONER, NatsServer, client_user
from stemma_provisioning.cli import main as provision
from stemma_provisioning.config import ServerTls
from stemma_provisioning.roles import Role
from stemma_testkit.certificates import Authority, Certified
from stemma_testkit.servers import admit
from stemma_testkit.working import at_work

pytestmark = pytest.mark.req("S7")
KEYED = (subjects.ORCHESTRATOR, PROVISIONER)
PROGRAM = client_user("default")
SLOW_S = 0.3
"""Six times what the server waits by itself."""


@dataclass(frozen=True)
class Sealed:
    """A server that encrypts, wants certificates, and lets some in by their keys alone."""

    server: NatsServer
    ca: Path
    caller: Certified
    seeds: dict[str, Path]

    def variables(self, user: str) -> dict[str, str]:
        """What somebody is told who may come in."""
        return {
            "STEMMA_NATS_URL": self.server.url,
            "STEMMA_NATS_USER": user,
            "STEMMA_NATS_SEED_FILE": str(self.seeds[user]),
            "STEMMA_NATS_CA_FILE": str(self.ca),
            "STEMMA_NATS_CERT_FILE": str(self.caller.certificate),
            "STEMMA_NATS_KEY_FILE": str(self.caller.key),
        }


def _seed(file: Path) -> str:
    seed = new_seed()
    file.write_text(seed)
    return public_key(seed)


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sealed]:
    folder = tmp_path_factory.mktemp("sealed")
    authority = Authority(folder)
    own, seeds = authority.certify("server"), {user: folder / f"{user}.seed" for user in (*KEYED, PROGRAM)}
    keys = {user: _seed(file) for user, file in seeds.items()}
    program = keys.pop(PROGRAM)
    with NatsServer(folder / "nats", keys=keys, tls=ServerTls(own.certificate, own.key, authority.ca)) as server:
        server.admitted("default").admit_program_by_key(PROGRAM, program)
        made = Sealed(server, authority.ca, authority.certify("caller"), seeds)
        with pytest.MonkeyPatch.context() as patch:
            _tell(patch, made.variables(PROVISIONER))
            with pytest.raises(SystemExit) as ended:
                provision([])
        assert ended.value.code == 0
        yield made


def _tell(patch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name, value in variables.items():
        patch.setenv(name, value)


async def test_service_program_and_person_work_over_tls_by_their_keys(
    sealed: Sealed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _tell(monkeypatch, sealed.variables(subjects.ORCHESTRATOR))
    settings = orchestrator.load_settings()
    write_login(tmp_path / "ada", admit(sealed.server, "ada", Role.AUTHOR))
    async with at_work(orchestrator.run(settings)):
        _tell(monkeypatch, sealed.variables(PROGRAM))
        for login in (None, tmp_path / "ada"):
            async with Client.connect(login=login) as client:
                asked = await client.create_document("proposal", brief="Write it.", review=ReviewMode.NONE)
                assert [event.name for event in await client.history(asked.document_id)] == ["document-requested"]
                sealed.server.kill()
                await asyncio.to_thread(sealed.server.start)
                again = await client.create_document("proposal", brief="Write it.", review=ReviewMode.NONE)
                assert again.document_id != asked.document_id


async def test_who_trusts_another_authority_or_shows_no_certificate_or_another_key_does_not_get_in(
    sealed: Sealed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("stemma_client.connection.HANDSHAKE_WITHIN_S", 2.0)
    good = sealed.variables(PROGRAM)
    _seed(tmp_path / "other.seed")
    other = str(Authority(tmp_path, "other").ca)
    for wrong, error, words in (
        ({"STEMMA_NATS_CA_FILE": other}, ServerUnreachableError, "certificate verify failed"),
        ({"STEMMA_NATS_CERT_FILE": "", "STEMMA_NATS_KEY_FILE": ""}, ServerUnreachableError, "certificate required"),
        ({"STEMMA_NATS_SEED_FILE": str(tmp_path / "other.seed")}, AccessDeniedError, "refuses user"),
    ):
        _tell(monkeypatch, {**good, **wrong})
        with pytest.raises(error, match=words):
            async with asyncio.timeout(20), Client.connect():
                pass
    _tell(
        monkeypatch, {**sealed.variables(subjects.ORCHESTRATOR), "STEMMA_NATS_SEED_FILE": str(tmp_path / "other.seed")}
    )
    with pytest.raises(BusFailed, match="refuses"):
        await orchestrator.run(orchestrator.load_settings())


def test_the_server_waits_for_a_caller_that_is_slow_to_begin(sealed: Sealed) -> None:
    trusting = ssl.create_default_context(cafile=sealed.ca)
    trusting.load_cert_chain(sealed.caller.certificate, sealed.caller.key)
    with socket.create_connection(("127.0.0.1", int(sealed.server.url.rpartition(":")[2]))) as caller:
        caller.settimeout(SLOW_S)
        with pytest.raises(TimeoutError):
            caller.recv(1)
        caller.settimeout(10)
        with trusting.wrap_socket(caller, server_hostname="127.0.0.1") as encrypted:
            assert encrypted.recv(5) == b"INFO "


async def test_a_server_that_does_not_encrypt_hears_nothing_of_who_wants_it_to(
    sealed: Sealed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemma_client.connection.HANDSHAKE_WITHIN_S", 1.0)
    heard = b""

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal heard
        writer.write(b'INFO {"server_id": "x", "max_payload": 1000000, "auth_required": true, "nonce": "x"}\r\n')
        with suppress(OSError):
            while piece := await reader.read(65536):
                heard += piece
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        url = f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        _tell(monkeypatch, {**sealed.variables(PROGRAM), "STEMMA_NATS_URL": url})
        with pytest.raises(ServerUnreachableError):
            async with asyncio.timeout(20), Client.connect():
                pass
    assert heard
    assert b"CONNECT" not in heard


@pytest.mark.parametrize(
    ("variable", "named"),
    [
        ("STEMMA_NATS_CA_FILE", "STEMMA_NATS_CA_FILE"),
        ("STEMMA_NATS_CERT_FILE", "STEMMA_NATS_CERT_FILE"),
        ("STEMMA_NATS_SEED_FILE", "SEED_FILE"),
    ],
)
def test_a_file_that_cannot_be_used_refuses_the_start_by_its_variable_and_is_not_quoted(
    sealed: Sealed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, named: str
) -> None:
    (tmp_path / "file").write_text("secret")
    for file in (tmp_path / "file", tmp_path / "nowhere"):
        _tell(monkeypatch, {**sealed.variables(PROGRAM), variable: str(file)})
        with pytest.raises(BadSettings, match=named) as refused:
            orchestrator.load_settings()
        assert "secret" not in str(refused.value)
        with pytest.raises((InvalidAddressError, InvalidLoginError), match=named):
            Client.connect().__aenter__().send(None)
