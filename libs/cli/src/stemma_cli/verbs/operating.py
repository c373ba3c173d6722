"""Verbs of those who look after an installation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stemma_cli.arguments import AsJson
from stemma_cli.exit_codes import ExitCode
from stemma_cli.output import note, say, say_json

from .installation import DATA, Data

Checkpoints = Annotated[
    Path | None,
    typer.Option("--checkpoints", help="SQLite file of the checkpoints; else STEMMA_CHECKPOINT_DSN, else in --data."),
]


async def doctor(
    data: Data = DATA,
    ack_wait: Annotated[float | None, typer.Option("--ack-wait", help="As stemma-provision was told.")] = None,
    as_json: AsJson = False,
) -> ExitCode:
    """Look whether all is well, and say what to do where it is not. It mends nothing.

    Versions, consumers that nobody reads, messages that wait or that will never come again, streams that are not as
    provisioned, clocks, storage, dead letters, admission. It exits with 1 if it finds anything. In the folder of
    `stemma up` it needs nothing; elsewhere be the provisioner, with the STEMMA_TENANT_... variables of the server.

    Example: stemma doctor
    """
    import os

    from stemma_provisioning import PROVISIONER, Bounds
    from stemma_provisioning.replicas import Replicas

    from stemma_cli.operating.access import address_of, as_provisioner
    from stemma_cli.operating.backup.places import has_own_server
    from stemma_cli.operating.doctor import CHECKS, Installation, examine, told, versions

    async with as_provisioner(data) as client:
        folder = None if has_own_server() else data
        bounds, replicas = Bounds.of(os.environ), Replicas.of(os.environ)
        installation = Installation(client, address_of(PROVISIONER, data), folder, bounds, ack_wait, replicas)
        known, findings = await versions(installation), await examine(installation)
    if as_json:
        say_json({"healthy": not findings, "versions": known, "findings": [told(finding) for finding in findings]})
    for name in () if as_json else CHECKS:
        say_finding = [f"{name}: {each.words}; {each.todo}" for each in findings if each.check == name]
        for line in say_finding or [f"{name}: ok"]:
            say(line)
    return ExitCode.FAILED if findings else ExitCode.OK


async def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A new folder, or a file that ends with .tar.")],
    data: Data = DATA,
    checkpoints: Checkpoints = None,
    as_json: AsJson = False,
) -> None:
    """Copy all that is stored while everybody works: streams, buckets, consumers, checkpoints.

    The copy fits together as of one sequence of the log, which is printed. It holds every text and file: keep it as
    you keep those. In the folder of `stemma up` it needs nothing; elsewhere be the provisioner (STEMMA_NATS_URL,
    STEMMA_NATS_USER=provisioner, STEMMA_NATS_PASSWORD), with STEMMA_CHECKPOINT_DSN as generation-graph has it.

    Example: stemma backup monday.tar
    """
    from stemma_cli.operating.access import as_provisioner
    from stemma_cli.operating.backup.places import checkpoint_place, writable_backup
    from stemma_cli.operating.backup.taking import take_backup

    async with as_provisioner(data) as client:
        with writable_backup(target) as folder:
            manifest = await take_backup(client, checkpoint_place(data, checkpoints), folder, note)
    size = sum(part.size for part in manifest.parts)
    if as_json:
        say_json({"backup": str(target), "sequence": manifest.sequence, "bytes": size, "tenants": manifest.tenants})
    else:
        say(f"{target}: the log to sequence {manifest.sequence}, {size} bytes")


async def restore_backup(
    source: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="What `stemma backup` wrote.")],
    data: Data = DATA,
    checkpoints: Checkpoints = None,
    as_json: AsJson = False,
) -> None:
    """Make an empty system of a backup: a new data folder, or the server of which you are the provisioner.

    Every file is compared with its digest first. Nothing is restored into a system that has messages or services at
    work; a restore that fails leaves an empty system, and one that was killed is done again by the same command.

    Example: stemma restore-backup monday.tar --data .stemma-from-monday
    """
    from stemma_cli.operating.backup.manifest import verified
    from stemma_cli.operating.backup.places import (
        checkpoint_place,
        has_own_server,
        readable_backup,
        restore_to_folder,
        restore_to_server,
    )

    to = restore_to_server if has_own_server() else restore_to_folder
    with readable_backup(source) as folder:
        manifest = verified(folder)
        await to(data, manifest, folder, checkpoint_place(data, checkpoints), note)
    if as_json:
        say_json({"restored": str(source), "sequence": manifest.sequence, "tenants": manifest.tenants})
    elif has_own_server():
        say(f"restored to sequence {manifest.sequence}; restart the NATS server, then stemma-orchestrator --repair")
        note("then start the services")
    else:
        say(f"restored to sequence {manifest.sequence}; start it: stemma up --data {data}")


VERBS = {"backup": backup, "doctor": doctor, "restore-backup": restore_backup}
