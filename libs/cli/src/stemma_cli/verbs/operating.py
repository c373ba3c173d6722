"""Verbs of those who look after an installation: doctor, backup, dead letters."""

from __future__ import annotations

import getpass
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson
from stemma_cli.output import clean, note, reply, say, say_json, say_table

from .installation import DATA, Data

if TYPE_CHECKING:
    from stemma_cli.operating.dead_letters import DeadLetter, DeadLetters


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
    from stemma_cli.operating.backup import has_own_server
    from stemma_cli.operating.doctor import CHECKS, Installation, examine, versions

    async with as_provisioner(data) as client:
        folder = None if has_own_server() else data
        bounds, replicas = Bounds.of(os.environ), Replicas.of(os.environ)
        installation = Installation(client, address_of(PROVISIONER, data), folder, bounds, ack_wait, replicas)
        known, findings = await versions(installation), await examine(installation)
    if as_json:
        say_json({"healthy": not findings, "versions": known, "findings": findings})
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
    from stemma_cli.operating.backup import checkpoint_place, take_backup, writable_backup

    async with as_provisioner(data) as client:
        with writable_backup(target) as folder:
            manifest = await take_backup(client, checkpoint_place(data, checkpoints), folder, note)
    size = sum(part.size for part in manifest.parts)
    reply(
        {"backup": str(target), "sequence": manifest.sequence, "bytes": size, "tenants": manifest.tenants},
        f"{target}: the log to sequence {manifest.sequence}, {size} bytes",
        as_json=as_json,
    )


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
    from stemma_cli.operating.backup import (
        checkpoint_place,
        has_own_server,
        readable_backup,
        restore_to_folder,
        restore_to_server,
        verified,
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


Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="As `stemma dead list` shows it.")]
COLUMNS = ("NUMBER", "TIME", "TENANT", "SERVICE", "MESSAGE", "REASON", "ERROR", "DOCUMENT")


@asynccontextmanager
async def _dead_letters(data: Path) -> AsyncIterator[DeadLetters]:
    from stemma_cli.operating.access import as_operator
    from stemma_cli.operating.dead_letters import DeadLetters

    async with as_operator(data) as client:
        yield DeadLetters(client)


async def list_dead(
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only of this tenant.")] = None,
    service: Annotated[str | None, typer.Option("--service", help="Only of this service.")] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Only invalid, foreign or exhausted.")] = None,
    data: Data = DATA,
    as_json: AsJson = False,
) -> None:
    """List messages that no service could handle, the oldest first.

    invalid: nobody can read it. foreign: its sender may not say it. exhausted: it failed as often as it was tried.

    Example: stemma dead list --reason exhausted
    """
    async with _dead_letters(data) as dead:
        letters, _ = await dead.all()
    wanted = {"tenant": tenant, "service": service, "reason": reason}
    shown = [one for one in letters if all(value in (None, getattr(one, name)) for name, value in wanted.items())]
    if as_json:
        say_json([letter.told() for letter in shown])
        return
    say_table(COLUMNS, [_row(letter) for letter in shown])
    if not shown:
        note("no dead letters")


async def show_dead(number: Number, data: Data = DATA, as_json: AsJson = False) -> None:
    """Show one: where it came from, what went wrong, what happened about it, and its body.

    Example: stemma dead show 7
    """
    from stemma_cli.operating.dead_letters import document_of, is_about

    async with _dead_letters(data) as dead:
        letter = await dead.get(number)
        history = await _history(dead, letter)
        try:
            about = is_about(letter, await document_of(dead.jetstream, letter.tenant, letter.document_id))
        except CliError as error:
            about = f"not known: {error}"
    if as_json:
        headers = dict(letter.headers)
        say_json({**letter.told(), "job": about, "headers": headers, "history": history, "body": _text(letter)})
        return
    for name, value in {**letter.told(), "job": about}.items():
        say(f"{name}: {value}")
    for line in history:
        say("history: {time} {deed} by {by} ({number})".format(**line))
    print(clean(_text(letter)))


async def edit_dead(
    number: Number,
    file: Annotated[
        str | None, typer.Option("--file", "-f", help="The body as it is to be; `-` is stdin. Else $EDITOR.")
    ] = None,
    data: Data = DATA,
    as_json: AsJson = False,
) -> None:
    """Mend the body of one, and put it back where it came.

    It goes only if it fits its contract; fields that are wrong are named, and your text is kept. A request goes with
    an id of its own, because its first body was answered under the old one.

    Example: stemma dead edit 7 --file mended.json
    """
    from stemma_cli.operating.dead_letters import require_open_job
    from stemma_cli.prompt import edited_in_file, kept_unless_sent, text_in

    async with _dead_letters(data) as dead:
        letter = await dead.get(number)
        await require_open_job(dead.jetstream, letter)
        if file is not None:
            await _send_edited(dead, letter, await text_in(file), as_json)
            return
        made = await edited_in_file(f"dead-{number}", _text(letter))
        with kept_unless_sent(made, lambda: f"stemma dead edit {number} --file {made}"):
            await _send_edited(dead, letter, await text_in(str(made)), as_json)


async def _send_edited(dead: DeadLetters, letter: DeadLetter, text: str, as_json: bool) -> None:
    from stemma_cli.operating.dead_letters import edited

    if text.strip() == _text(letter).strip():
        hint = f"to put it back as it is: stemma dead requeue {letter.number}"
        raise CliError(ExitCode.USAGE, "nothing was changed", hint)
    await _put_back(dead, letter, edited(letter, text.encode()), "edited", as_json)


async def requeue_dead(number: Number, data: Data = DATA, as_json: AsJson = False) -> None:
    """Put one back where it came, once, as it is: after what stopped it was mended.

    What is foreign, does not fit its contract, or is about a job that is not open any more is refused with the reason.

    Example: stemma dead requeue 7
    """
    async with _dead_letters(data) as dead:
        letter = await dead.get(number)
        await _put_back(dead, letter, letter, "requeued", as_json)


async def _put_back(dead: DeadLetters, letter: DeadLetter, sent: DeadLetter, deed: str, as_json: bool) -> None:
    from stemma_cli.operating.dead_letters import put_back

    again = await put_back(dead.jetstream, sent)
    await dead.settle(letter, deed, getpass.getuser())
    request_id = sent.fields.get("request_id") if sent.family == "request" else None
    told = {"number": letter.number, "deed": deed, "was_there": again, "request_id": request_id}
    reply(
        {name: value for name, value in told.items() if value is not None},
        f"{letter.number} is {'there already' if again else 'put back'}: {letter.subject}",
        as_json=as_json,
    )
    if request_id and not as_json:
        note(f"its answer comes under the request id {request_id}")


async def drop_dead(
    number: Number,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data: Data = DATA,
    as_json: AsJson = False,
) -> None:
    """Take one away for good; who did it and when stays written down for 14 days.

    Example: stemma dead drop 7
    """
    from stemma_cli.consent import agreed

    async with _dead_letters(data) as dead:
        letter = await dead.get(number)
        if not yes:
            note("\t".join(_row(letter)))
            await agreed(f"Drop {number}?", "nobody was asked", f"say it: stemma dead drop {number} --yes")
        await dead.settle(letter, "dropped", getpass.getuser())
    reply({"number": number, "deed": "dropped"}, f"{number} is dropped", as_json=as_json)


async def _history(dead: DeadLetters, letter: DeadLetter) -> list[dict[str, Any]]:
    """What happened about the same message before: earlier dead letters of it, and what was done about them."""
    letters, traces = await dead.all()
    same = [one for one in letters if one.message_id == letter.message_id]
    aside = [
        {"number": one.number, "deed": "put aside", "by": one.put_aside_by, "time": one.time.isoformat()}
        for one in same
    ]
    done = [one.told() for one in traces if one.message_id == letter.message_id]
    return sorted([*aside, *done], key=lambda line: str(line["time"]))


def _row(letter: DeadLetter) -> tuple[str, ...]:
    about = (letter.tenant, letter.service, letter.name, letter.reason, letter.error, letter.document_id[:8])
    return (str(letter.number), f"{letter.time:%Y-%m-%d %H:%M}", *about)


def _text(letter: DeadLetter) -> str:
    """The body to be read and edited: indented where it is JSON."""
    if letter.fields:
        return json.dumps(letter.fields, indent=2, ensure_ascii=False) + "\n"
    return letter.body.decode("utf-8", "replace")


GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "dead": (
        "Look after messages that no service could handle (for the operator).",
        {"list": list_dead, "show": show_dead, "edit": edit_dead, "requeue": requeue_dead, "drop": drop_dead},
    ),
}
