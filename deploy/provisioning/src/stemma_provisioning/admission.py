"""Whom the server admits beside its configured users: it asks here, and what is answered is signed.

A person shows a key, a program a password; who it is stands in the files of the tenants, and is answered with an
account and permissions.
Nothing of the server is configured or reloaded for it: who comes is admitted, who goes is cut off, and everybody else
goes on. While nobody answers, nobody new gets in.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hmac import compare_digest
from itertools import count, islice
from pathlib import Path
from typing import Any

import nats
import nkeys
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from stemma_contracts.connections import ASKS, READS, KnownAs, asks_who, servers_in
from stemma_contracts.tokens import InvalidToken
from stemma_telemetry import get_logger

from . import permissions
from .admitted import AdmittedError, Everybody, Person, digest_of, everybody_in
from .nats_jwt import Signer, claims_of, has_signed
from .providers import Identity, InvalidIdentity, Provider, Trusted
from .roles import ROLES

WATCH_S = 0.1
CUT_OFF_AFTER_S = (0.0, 0.5, 5.0)
"""Who was let in a moment before is not there yet when the server is asked who is."""
PAGE = 256
ANSWER_WITHIN_S = 10.0
OTHERS_WITHIN_S = 0.3
"""How long after one server another may answer; there are three looks, so that a slower one is heard later."""
RECONNECT_WAIT_S = 0.25
START_WITHIN_S = 20.0
HANDSHAKE_WITHIN_S = 5.0
LET_IN_TO = (permissions.reading_account(""), permissions.asking_account(""), permissions.tenant_account(""))
NO_TLS: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Seals:
    """The keys of the admission: who it is at the server, and what it signs with."""

    user: Signer
    issuer: Signer

    @classmethod
    def of(cls, secret: str) -> Seals:
        user = Signer(secret, permissions.ADMISSION, nkeys.PREFIX_BYTE_USER)
        return cls(user, Signer(secret, "issuer", nkeys.PREFIX_BYTE_ACCOUNT))


@dataclass(frozen=True)
class Entry:
    """Somebody who is known by a key or by a name, and what is to be shown: the digest of a password, or no more."""

    user: permissions.User
    digest: str | None = None

    def is_shown_by(self, told: Mapping[str, str], nonce: str) -> bool:
        """Whether who connects is who it says: its key signed the nonce of the server, or it has the password.

        A connection has the name of its key, by which it is found when it is to be cut off.
        """
        if self.digest is not None:
            return compare_digest(digest_of(told.get("pass", "")), self.digest)
        key = told.get("auth_token", "")
        return told.get("name") == key and bool(nonce) and has_signed(key, told.get("sig", ""), nonce)


Entries = dict[str, Callable[[], Entry]]


class Register:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, tuple[object, Everybody, Entries]] = {}

    def of(self, shown: str) -> Entry | None:
        """Who is known by a key or a name."""
        found = next((entries[shown] for _, _, entries in self._read.values() if shown in entries), None)
        return found() if found else None

    def named(self, identity: Identity) -> tuple[str, Person] | None:
        """The person of a tenant whom a provider calls so."""
        for file, (_, everybody, _) in self._read.items():
            for name, person in everybody.people.items() if file.stem == identity.tenant else ():
                if person.identity == identity.value:
                    return name, person
        return None

    def refresh(self) -> bool:
        """Read what has changed, and tell whether somebody went; what cannot be read counts as it was before."""
        try:
            return self._refresh()
        except OSError as error:
            get_logger().error("admitted_unreadable", reason=str(error))
            return False

    def _refresh(self) -> bool:
        stamps = {file: _stamp(file) for file in sorted(self._folder.glob("[!.]*.json"))}
        if stamps == {file: read[0] for file, read in self._read.items()}:
            return False
        before, self._read = self._read, {file: self._reread(file, stamp) for file, stamp in stamps.items()}
        return any(_somebody_went(read[1], self._everybody(file)) for file, read in before.items())

    def _everybody(self, file: Path) -> Everybody:
        return self._read[file][1] if file in self._read else Everybody()

    def _reread(self, file: Path, stamp: object) -> tuple[object, Everybody, Entries]:
        was = self._read.get(file, (None, Everybody(), {}))
        if was[0] == stamp:
            return was
        try:
            everybody = everybody_in(file)
        except (OSError, AdmittedError) as error:
            get_logger().error("admitted_unreadable", reason=str(error))
            return stamp, *was[1:]
        return stamp, everybody, dict(_entries(file.stem, everybody))


def _somebody_went(before: Everybody, now: Everybody) -> bool:
    kinds = ((before.people, now.people), (before.programs, now.programs), (before.keys, now.keys))
    return not all(was.items() <= there.items() for was, there in kinds)


def _entries(tenant: str, everybody: Everybody) -> Iterator[tuple[str, Callable[[], Entry]]]:
    """Thousands of people have permissions of their own: they are made when they are needed."""
    user = permissions.client_user(tenant)
    if digest := everybody.programs.get(user):
        yield user, partial(_program, tenant, digest)
    if key := everybody.keys.get(user):
        yield key, partial(_program, tenant, None)
    for name, person in everybody.people.items():
        names = ROLES[person.role]
        yield person.keys.reading, partial(_reader, tenant, name)
        yield person.keys.asking, partial(_asker, tenant, name, names)
        if person.identity:
            known = KnownAs.of(tenant, name, person.role, person.identity)
            yield f"{known}/{READS}", partial(_known, permissions.reading_user(tenant, name))
            yield f"{known}/{ASKS}", partial(_known, permissions.asking_user(tenant, name, names))


def _program(tenant: str, digest: str | None) -> Entry:
    return Entry(permissions.program(tenant), digest)


def _reader(tenant: str, name: str) -> Entry:
    return Entry(permissions.reading_user(tenant, name))


def _asker(tenant: str, name: str, names: Sequence[str]) -> Entry:
    return Entry(permissions.asking_user(tenant, name, names))


def _known(user: permissions.User) -> Entry:
    """Somebody who is in by a token of a provider; no password lets in."""
    return Entry(user, "")


def _stamp(file: Path) -> object:
    with suppress(FileNotFoundError):
        found = file.stat()
        return found.st_ino, found.st_mtime_ns, found.st_size
    return None


def answer(asked: Mapping[str, Any], register: Register, issuer: Signer) -> str:
    about = asked["nats"]
    told, key = about["connect_opts"], about["user_nkey"]
    shown = told.get("auth_token") or told.get("user") or ""
    entry = register.of(shown)
    if entry is None or not entry.is_shown_by(told, about["client_info"].get("nonce", "")):
        return _response(issuer, about, {"error": "not admitted"})
    return _response(issuer, about, {"jwt": issuer.token(key, entry.user.account, _rights(entry.user))})


def answer_to_identity(asked: Mapping[str, Any], register: Register, issuer: Signer, identity: Identity) -> str:
    """The answer to a server that asks about a connection which shows what a provider signed.

    The connection ends with the token, and has a name by which it is found when its person goes.
    """
    about, found = asked["nats"], register.named(identity)
    if found is None:
        return _response(issuer, about, {"error": "not admitted"})
    (name, person), user = found, about["connect_opts"]["user"]
    known = KnownAs.of(identity.tenant, name, person.role, identity.value)
    match user:
        case _ if user == ASKS:
            rights = permissions.asking_user(identity.tenant, name, ROLES[person.role])
        case _ if user == READS:
            rights = permissions.reading_user(identity.tenant, name)
        case _ if user == asks_who(about["connect_opts"]["pass"]):
            rights = permissions.asking_who(identity.tenant, user)
        case _:
            return _response(issuer, about, {"error": "not admitted"})
    called = f"{known}/{ASKS if user == ASKS else READS}"
    more = {"name": called, "exp": identity.ends_at}
    return _response(issuer, about, {"jwt": issuer.token(about["user_nkey"], rights.account, _rights(rights), **more)})


def is_identity(asked: Mapping[str, Any]) -> bool:
    user = str(asked["nats"]["connect_opts"].get("user", ""))
    return user in (READS, ASKS) or user.startswith("identity.")


def _rights(user: permissions.User) -> dict[str, Any]:
    return {
        "type": "user",
        "pub": {"allow": [line.subject for line in user.publish]},
        "sub": {"allow": [line.subject for line in user.subscribe]},
        **dict.fromkeys(("subs", "data", "payload"), -1),
    }


def _response(issuer: Signer, about: Mapping[str, Any], given: Mapping[str, str]) -> str:
    return issuer.token(about["user_nkey"], about["server_id"]["id"], {"type": "authorization_response", **given})


class Admission:
    def __init__(self, client: Client, register: Register, issuer: Signer, provider: Provider | None = None) -> None:
        self._client = client
        self._provider = provider
        self._verifying: set[asyncio.Task[None]] = set()
        self._register = register
        self._issuer = issuer
        self._somebody_went = asyncio.Event()
        self._somebody_went.set()  # perhaps while nobody watched

    async def on_asked(self, message: Msg) -> None:
        """Let somebody in, or not; what cannot be read is not answered, which lets nobody in."""
        self._refresh()
        try:
            asked = claims_of(message.data)
            if is_identity(asked) and self._provider:
                self._verify(message, asked, self._provider)
                return
            told = answer(asked, self._register, self._issuer)
        except (ValueError, KeyError, TypeError) as error:
            get_logger().error("callout_unreadable", error=error)
            return
        await message.respond(told.encode())

    def _verify(self, message: Msg, asked: Mapping[str, Any], provider: Provider) -> None:
        task = asyncio.create_task(self._on_identity(message, asked, provider))
        self._verifying.add(task)
        task.add_done_callback(self._verifying.discard)

    async def _on_identity(self, message: Msg, asked: Mapping[str, Any], provider: Provider) -> None:
        try:
            identity = await provider.identity(str(asked["nats"]["connect_opts"].get("pass", "")))
            told = answer_to_identity(asked, self._register, self._issuer, identity)
        except (InvalidIdentity, InvalidToken) as error:
            get_logger().info("identity_refused", reason=str(error))
            told = _response(self._issuer, asked["nats"], {"error": "not admitted"})
        await message.respond(told.encode())

    async def watch(self) -> None:
        """Cut off who is not admitted any more, until cancelled."""
        async with asyncio.TaskGroup() as cutting:
            while True:
                self._refresh()
                if self._somebody_went.is_set():
                    self._somebody_went.clear()
                    cutting.create_task(self._cut_off())
                await asyncio.sleep(WATCH_S)

    def _refresh(self) -> None:
        if self._register.refresh():
            self._somebody_went.set()

    async def _cut_off(self) -> None:
        for delay in CUT_OFF_AFTER_S:
            await asyncio.sleep(delay)
            try:
                await self._look()
            except (NatsError, ValueError, KeyError) as error:
                get_logger().warning("connections_unseen", error=error, reason=str(error))
                self._somebody_went.set()
                return

    async def _look(self) -> None:
        async for server, connection in connections(self._client):
            if str(connection.get("account", "")).startswith(LET_IN_TO) and not self._may_stay(connection):
                whom = json.dumps({"cid": connection["cid"]}).encode()
                await self._client.request(f"$SYS.REQ.SERVER.{server}.KICK", whom, timeout=ANSWER_WITHIN_S)

    def _may_stay(self, connection: Mapping[str, Any]) -> bool:
        shown = [connection.get("name", ""), connection.get("authorized_user", "")]
        entries = filter(None, map(self._register.of, shown))
        return any(entry.user.account == connection["account"] for entry in entries)


async def connections(client: Client) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Who is connected to any server, each with the server: for somebody who may ask the system account."""
    offset, more, servers = 0, True, set[str]()
    while more:
        asked = json.dumps({"auth": True, "limit": PAGE, "offset": offset, "sort": "cid"}).encode()
        offset, more = offset + PAGE, False
        async with aclosing(_answers(client, asked, len(servers))) as answers:
            async for told in answers:
                servers.add(told["server"]["id"])
                for connection in told["data"]["connections"]:
                    yield told["server"]["id"], connection
                more |= offset < told["data"]["total"]


async def _answers(client: Client, asked: bytes, servers: int) -> AsyncGenerator[dict[str, Any], None]:
    """What each server answers, of so many; 0: nobody knows how many. Raises `TimeoutError` of NATS without any."""
    answers = await client.subscribe(inbox := client.new_inbox())
    try:
        await client.publish(permissions.CONNECTIONS, asked, reply=inbox)
        yield json.loads((await answers.next_msg(ANSWER_WITHIN_S)).data)
        with suppress(NatsTimeoutError):
            for _ in islice(count(), servers - 1 if servers else None):
                yield json.loads((await answers.next_msg(OTHERS_WITHIN_S)).data)
    finally:
        await answers.unsubscribe()


@asynccontextmanager
async def admitting(
    url: str, folder: Path, seals: Seals, tls: Mapping[str, Any] = NO_TLS, trusted: Trusted | None = None
) -> AsyncIterator[Client]:
    """Admit the people of a folder at a server, which may go and come back; also by tokens of a trusted provider."""
    client = await _connected(url, seals, tls)
    provider = Provider(trusted) if trusted else None
    admission = Admission(client, Register(folder), seals.issuer, provider)
    try:
        await client.subscribe(permissions.ASKED, queue=permissions.ADMISSION, cb=admission.on_asked)
        await client.flush()
        tasks = [asyncio.create_task(admission.watch())]
        if provider:
            tasks.append(asyncio.create_task(provider.keep_current()))
        try:
            yield client
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        await client.close()


async def _connected(url: str, seals: Seals, tls: Mapping[str, Any]) -> Client:
    """A connection; nats-py does not come back from a handshake that failed, so that it is begun anew."""
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(HANDSHAKE_WITHIN_S if tls else None):
                return await nats.connect(
                    servers_in(url),
                    nkeys_seed_str=seals.user.seed,
                    inbox_prefix=permissions.inbox_prefix(permissions.ADMISSION),
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=RECONNECT_WAIT_S,
                    error_cb=_tell,
                    **tls,
                )


class Admitting:
    def __init__(
        self, folder: Path, seals: Seals, tls: Mapping[str, Any] = NO_TLS, trusted: Trusted | None = None
    ) -> None:
        self._folder = folder
        self._seals = seals
        self._tls = tls
        self._trusted = trusted
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self, url: str) -> None:
        """Begin, and return once people are let in; once begun it outlives the server. Raises `TimeoutError`."""
        if self._loop is not None:
            return
        ready: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._run(url, ready)), name=permissions.ADMISSION, daemon=True
        )
        self._thread.start()
        self._loop = ready.result(START_WITHIN_S)

    def stop(self) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
            self._loop = self._thread = None

    async def _run(self, url: str, ready: Future[asyncio.AbstractEventLoop]) -> None:
        self._stopping = asyncio.Event()
        try:
            async with admitting(url, self._folder, self._seals, self._tls, self._trusted):
                ready.set_result(asyncio.get_running_loop())
                await self._stopping.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise


async def _tell(error: Exception) -> None:
    get_logger().warning("connection_failed", error=error, reason=str(error))
