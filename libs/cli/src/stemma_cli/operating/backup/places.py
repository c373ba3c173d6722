"""What a backup is made of or restored to: a server that one has, or the folder of ``stemma up``."""

from __future__ import annotations

import asyncio
import os
import shutil
import sysconfig
import tarfile
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from nats.aio.client import Client
from nats.errors import NoRespondersError
from nats.js.errors import ServiceUnavailableError
from stemma_client.settings import DEFAULT_TENANT, USER_VARIABLE, ServerAddress
from stemma_contracts import subjects
from stemma_provisioning import PROVISIONER, Bounds, ServerFailed

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.local.folder import AlreadyRunningError, DamagedPasswordsError, DataFolder, UnusableFolderError
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.local.tenants import KeptTenants
from stemma_cli.operating.access import connected_as, connected_to

from .checkpoints import SQLITE_FILE, CheckpointPlace, place_of
from .manifest import Manifest
from .restoring import Tell, require_empty, restore


def is_file(path: Path) -> bool:
    """Whether a backup of this name is one file."""
    return path.suffix == ".tar"


@contextmanager
def writable_backup(target: Path) -> Iterator[Path]:
    """An empty private folder that becomes the backup when the block ends well, and is gone otherwise."""
    if target.exists():
        raise CliError(ExitCode.USAGE, f"{target} is there already", "name another file or folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield folder
        if is_file(target):
            _pack(folder, target)
        else:
            folder.replace(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pack(folder: Path, target: Path) -> None:
    made = target.with_name(f".{target.name}.new")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name)
    made.replace(target)


@contextmanager
def readable_backup(source: Path) -> Iterator[Path]:
    if source.is_dir():
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="stemma-restore-", dir=source.parent) as folder:
        try:
            with tarfile.open(source) as tar:
                tar.extractall(folder, filter="data")
        except (tarfile.TarError, FileNotFoundError) as error:
            raise CliError(ExitCode.USAGE, f"{source} is no backup: {error}") from None
        yield Path(folder)


DSN_VARIABLE = "STEMMA_CHECKPOINT_DSN"
FILE_VARIABLE = "STEMMA_GENERATION_GRAPH_CHECKPOINT_PATH"


def checkpoint_place(data: Path, given: Path | None, environ: Mapping[str, str] = os.environ) -> CheckpointPlace:
    """Where checkpoints are: in the file that is given, else where the variables of generation-graph say, else in the
    data folder."""
    if given is None and environ.get(DSN_VARIABLE):
        return place_of(environ[DSN_VARIABLE])
    return place_of(given or Path(environ.get(FILE_VARIABLE) or data / SQLITE_FILE))


def has_own_server(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment names a server, and its provisioner."""
    return environ.get(USER_VARIABLE) == PROVISIONER


async def restore_to_server(data: Path, manifest: Manifest, folder: Path, place: CheckpointPlace, tell: Tell) -> None:
    """Restore to the server that the environment names."""
    async with connected_as(PROVISIONER, data) as client:
        await _restore(client, manifest, folder, place, tell)


async def restore_to_folder(data: Path, manifest: Manifest, folder: Path, place: CheckpointPlace, tell: Tell) -> None:
    """Restore to a data folder, with the server alone, and mend what is derived from the log.

    In between the server is started again: it knows the ids of brought back messages only then.
    """
    tenants = tuple(dict.fromkeys((DEFAULT_TENANT, *manifest.tenants)))
    try:
        async with LocalStemma(data, services=[], tenants=tenants), connected_as(PROVISIONER, data) as client:
            await _restore(client, manifest, folder, place, tell)
        kept = KeptTenants(DataFolder(data))
        for tenant in manifest.tenants:
            if tenant != DEFAULT_TENANT:
                kept.add(tenant)
        async with LocalStemma(data, services=[]) as stemma:
            await _repair(stemma)
    except (AlreadyRunningError, UnusableFolderError, DamagedPasswordsError, ServerFailed) as error:
        raise CliError(ExitCode.FAILED, str(error), "name another folder by --data") from None


async def _restore_to(
    stemma: LocalStemma, manifest: Manifest, folder: Path, place: CheckpointPlace, tell: Tell
) -> None:
    address = ServerAddress(stemma.url, user=PROVISIONER, password=stemma.password(PROVISIONER))
    async with connected_to(address) as client:
        await _restore(client, manifest, folder, place, tell)


async def _restore(client: Client, manifest: Manifest, folder: Path, place: CheckpointPlace, tell: Tell) -> None:
    await require_empty(client)
    place.require_empty()
    try:
        await restore(client, manifest, folder, place, Bounds.of(os.environ), tell)
    except (NoRespondersError, ServiceUnavailableError):
        names = ", ".join(manifest.tenants)
        raise CliError(ExitCode.FAILED, f"the server has no accounts for {names}: see to its configuration") from None


async def _repair(stemma: LocalStemma) -> None:
    """Publish the jobs anew that are in no queue, and write the list of documents."""
    command = Path(sysconfig.get_path("scripts")) / f"stemma-{subjects.ORCHESTRATOR}"
    own = stemma.environment_of(subjects.ORCHESTRATOR)
    process = await asyncio.create_subprocess_exec(command, "--repair", env=own, stdout=PIPE, stderr=PIPE)
    _, told = await process.communicate()
    if process.returncode:
        words = told.decode("utf-8", "replace").strip()[-500:]
        raise CliError(ExitCode.FAILED, f"restored, but not repaired: {words}")
