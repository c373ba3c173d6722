"""The verbs that start all of Stemma on this machine, and those that say for whom and who may use it."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson
from stemma_cli.output import reply, say_rows

if TYPE_CHECKING:
    from stemma_client.logins import Login

Data = Annotated[Path, typer.Option("--data", envvar="STEMMA_DATA_DIR", help="Folder of `stemma up`.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="One word of a-z, 0-9 and -.")]
Tenant = Annotated[str, typer.Option("--tenant", envvar="STEMMA_TENANT", help="Whose person it is.")]
AdmittedFolder = Annotated[Path | None, typer.Option("--admitted", help="Folder of another server's admission.")]
Url = Annotated[str | None, typer.Option("--url", envvar="STEMMA_NATS_URL", help="Address for the login.")]
ModelName = Annotated[
    str | None, typer.Option("--model", envvar="STEMMA_MODEL", help="Model of all services, as LiteLLM spells it.")
]
ApiBase = Annotated[
    str | None, typer.Option("--api-base", envvar="STEMMA_MODEL_API_BASE", help="Address of its server.")
]
Context = Annotated[
    int | None, typer.Option("--context", min=1024, envvar="STEMMA_MODEL_CONTEXT", help="Tokens that it holds.")
]
LoginFile = Annotated[Path | None, typer.Option("--output", "-o", help="The login; else NAME.login.")]
DATA = Path(".stemma")
TENANT = "default"


def up(
    data: Annotated[
        Path, typer.Option("--data", envvar="STEMMA_DATA_DIR", help="Folder for all data, logs and passwords.")
    ] = DATA,
    processes: Annotated[bool, typer.Option("--processes", help="Run each service in a process of its own.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port of NATS; else a free one.")] = None,
    model: ModelName = None,
    api_base: ApiBase = None,
    context: Context = None,
    as_json: AsJson = False,
) -> ExitCode:
    """Start NATS and every service here, and keep them running until Ctrl-C.

    The other verbs, run in the same folder, find the server by themselves. The model can be named in stemma.toml.

    Example: stemma up
    """
    from stemma_cli.local.foreground import run_in_foreground
    from stemma_cli.local.model import chosen_model

    chosen = chosen_model(model, api_base, context)
    return run_in_foreground(data, processes=processes, port=port, model=chosen, as_json=as_json)


def check_model(
    model: ModelName = None,
    api_base: ApiBase = None,
    context: Context = None,
    data: Data = DATA,
    as_json: AsJson = False,
) -> ExitCode:
    """Ask a model a few short questions, and tell what it can do and what it costs.

    It is the one of the `stemma up` that runs in this folder, or the one that it would use. A server that still loads
    its model is waited for. What is found out decides whether the next `stemma up` writes with the model.

    Example: stemma models check --model ollama_chat/qwen3:14b
    """
    import asyncio

    from stemma_cli.local.model import abilities_of, check_here, chosen_model, verdict_of

    named = chosen_model(model, api_base, context) if model or api_base or context else None
    found = asyncio.run(check_here(named, data))
    lines = [*(f"{name}: {value}" for name, value in abilities_of(found).items()), verdict_of(found)]
    reply(found.model_dump(mode="json"), *lines, as_json=as_json)
    return ExitCode.OK if found.can_write else ExitCode.FAILED


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")] = Path("demo-output"),
    kind: Annotated[str, typer.Option("--kind", help="Whose sample to write.")] = "proposal",
    desk: Annotated[
        bool, typer.Option("--desk", help="Leave all running, with samples in review, and write no files.")
    ] = False,
    as_json: AsJson = False,
) -> ExitCode:
    """Answer a real request from ZIP to DOCX and filled form: start everything, review, export, stop.

    Needs no key and no network.

    Example: stemma demo --output demo-output
    """
    from stemma_cli.local.foreground import run_demo, run_demo_desk

    if desk:
        if as_json:
            raise CliError(ExitCode.USAGE, "--desk runs until Ctrl-C and prints no JSON", "leave --json out")
        return run_demo_desk()
    return run_demo(output, kind, as_json=as_json)


def add_user(
    name: Name,
    role: Annotated[str, typer.Option("--role", help="reader, reviewer, author or owner.")],
    data: Data = DATA,
    tenant: Tenant = TENANT,
    admitted: AdmittedFolder = None,
    url: Url = None,
    output: LoginFile = None,
    identity: Annotated[str, typer.Option("--identity", help="What the OpenID provider calls the person.")] = "",
    as_json: AsJson = False,
) -> None:
    """Admit a person, and write the login to be handed over. The password is printed once: it is for browsers.

    Readers see everything of their tenant, reviewers decide as well, authors also ask for documents and write, owners
    also pause, resume and cancel. It counts at once.

    Example: stemma user add ada --role reviewer
    """
    from stemma_client.logins import new_password, write_login

    from stemma_cli.local.tenants import Place, file_of, in_words, keys_of, login_at, role_of

    place, chosen, file = Place(data, admitted, tenant, url), role_of(role), file_of(name, output)
    if file.exists():
        raise CliError(ExitCode.USAGE, f"{file} is there already", "name another file by --output")
    login = login_at(place, name, password := new_password(), chosen)
    with in_words():
        place.admitted.add(name, chosen, keys_of(login), identity)
    write_login(file, login)
    _tell_login(login, file, password, f"{name} is admitted as {role}", as_json)


def list_users(
    data: Data = DATA, tenant: Tenant = TENANT, admitted: AdmittedFolder = None, as_json: AsJson = False
) -> None:
    """List the people of a tenant with their roles.

    Example: stemma user list
    """
    from stemma_cli.local.tenants import Place, in_words

    with in_words():
        people = Place(data, admitted, tenant).admitted.people()
    admitted_people = [{"person": name, "role": str(people[name].role)} for name in sorted(people)]
    say_rows({"NAME": itemgetter("person"), "ROLE": itemgetter("role")}, admitted_people, as_json=as_json)


def remove_user(
    name: Name,
    data: Data = DATA,
    tenant: Tenant = TENANT,
    admitted: AdmittedFolder = None,
    as_json: AsJson = False,
) -> None:
    """Admit a person no more, and cut off at once. What the person decided stays.

    Example: stemma user remove ada
    """
    from stemma_cli.local.tenants import Place, in_words

    with in_words():
        Place(data, admitted, tenant).admitted.remove(name)
    reply({"removed": name}, f"{name} is not admitted any more", as_json=as_json)


def rotate_user(
    name: Name,
    data: Data = DATA,
    tenant: Tenant = TENANT,
    admitted: AdmittedFolder = None,
    url: Url = None,
    output: LoginFile = None,
    as_json: AsJson = False,
) -> None:
    """Give a person new keys and a new password: those there were admit nobody any more.

    Example: stemma user rotate ada
    """
    from dataclasses import replace

    from stemma_client.logins import new_password, write_login

    from stemma_cli.local.tenants import Place, file_of, in_words, keys_of, login_at

    place, file = Place(data, admitted, tenant, url), file_of(name, output)
    login = login_at(place, name, password := new_password())
    with in_words():
        role = place.admitted.rotate(name, keys_of(login)).role
    login = replace(login, role=role)
    write_login(file, login)
    _tell_login(login, file, password, f"{name} has new keys", as_json)


def _tell_login(login: Login, file: Path, password: str, words: str, as_json: bool) -> None:
    told = {"person": login.person, "role": login.role, "tenant": login.tenant, "login": str(file)}
    reply(
        {**told, "password": password},
        f"{words}; hand over {file}, and there: stemma login {file.name}",
        f"password for browsers, printed this once: {password}",
        as_json=as_json,
    )


def add_tenant(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One word of letters, digits, _ and -.")],
    data: Data = DATA,
    as_json: AsJson = False,
) -> None:
    """Serve one more tenant, which sees nothing of the others. Where Stemma runs, everybody stays at work.

    Example: stemma tenant add garden
    """
    from stemma_contracts.tokens import check_token
    from stemma_provisioning import client_user

    from stemma_cli.local.folder import CREDENTIALS_FILE
    from stemma_cli.local.tenants import Tenants

    tenants = Tenants.of(data)
    check_token(name, "tenant")
    if name in (*(served := tenants.served()), *tenants.known()):
        raise CliError(ExitCode.USAGE, f"{name} is there already", "see `stemma tenant list`")
    tenants.add(name)
    if served:
        tenants.wait_until_served(name)
    passwords, user = data / CREDENTIALS_FILE, client_user(name)
    now = (
        f"{name} is served; its programs are {user} with the password in {passwords}",
        f"people: stemma user add NAME --role author --tenant {name}",
    )
    told = {"tenant": name, "served": bool(served), "user": user, "passwords": str(passwords)}
    reply(told, *(now if served else [f"{name} is served from the next `stemma up` on"]), as_json=as_json)


def list_tenants(data: Data = DATA, as_json: AsJson = False) -> None:
    """List the tenants, and which are served now.

    Example: stemma tenant list
    """
    from stemma_cli.local.tenants import Tenants

    tenants = Tenants.of(data)
    served = tenants.served()
    known = [{"tenant": name, "served": name in served} for name in dict.fromkeys([*served, *tenants.known()])]
    columns = {"TENANT": lambda one: str(one["tenant"]), "SERVED": lambda one: "yes" if one["served"] else "no"}
    say_rows(columns, known, as_json=as_json)


GROUPS: dict[str, tuple[str, dict[str, Callable[..., ExitCode | None]]]] = {
    "models": ("Say what a model can do.", {"check": check_model}),
    "tenant": ("Say for whom Stemma works apart from the others.", {"add": add_tenant, "list": list_tenants}),
    "user": (
        "Say who may use Stemma, and as what.",
        {"add": add_user, "list": list_users, "remove": remove_user, "rotate": rotate_user},
    ),
}
