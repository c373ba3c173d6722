"""Render the committed nats.conf from the permissions that provisioning knows; passwords stay in the environment.

usage: python deploy/nats/render.py            write deploy/nats/nats.conf
       python deploy/nats/render.py --check    exit 1 if the committed file differs
       python deploy/nats/render.py --env      print fresh passwords, for a .env beside docker-compose.yml
       python deploy/nats/render.py --to FILE --tenant NAME ...    write a configuration with these tenants
       python deploy/nats/render.py --seed FILE    write a new secret key, and print its public half

With --to, --key USER=PUBLIC lets a service (or the programs of a tenant, as client-TENANT) in by its secret key, and
--certificate, --certificate-key and --ca name files for TLS as the server finds them; with --ca callers show theirs.

With --route, a configuration of several servers that are one, the same for each of them: give it the address HOST:PORT
of each, and by --route-certificate, --route-key and --route-ca the files that they show each other, as they find them.
What a server is called is in its environment (STEMMA_NATS_NODE).

It holds tenants to the bounds of the environment (STEMMA_TENANT_CONNECTIONS, STEMMA_TENANT_CONSUMERS).

--env and --to admit the programs of the tenants in the folder --admitted, where `stemma user --admitted` admits people.
"""

import argparse
import os
import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import nkeys
from stemma_contracts.tokens import check_token
from stemma_provisioning import Bounds, client_user
from stemma_provisioning.admission import Seals
from stemma_provisioning.admitted import Admitted
from stemma_provisioning.config import AdmissionKeys, ServerCluster, ServerConfig, ServerTls, user_names
from stemma_provisioning.nats_jwt import Signer
from stemma_provisioning.permissions import ADMISSION
from stemma_provisioning.topology import DEFAULT_BOUNDS, DEFAULT_TENANTS

TARGET = Path(__file__).with_name("nats.conf")
HEADER = "# Made by `make nats`. Every password is an environment variable that begins with a letter.\n"
MONITORING = 'http: "127.0.0.1:8222"\n'
POSTGRES = "postgres"
NODE = "$STEMMA_NATS_NODE"
KEYS = AdmissionKeys("$STEMMA_KEY_ADMISSION", "$STEMMA_KEY_ISSUER")
ADMITTED = Path("admitted")
NO_KEYS: Mapping[str, str] = {}


def variable(user: str) -> str:
    return f"STEMMA_PASSWORD_{user.upper().replace('-', '_')}"


def rendered(
    tenants: Sequence[str] = DEFAULT_TENANTS,
    bounds: Bounds = DEFAULT_BOUNDS,
    keys: Mapping[str, str] = NO_KEYS,
    tls: ServerTls | None = None,
    cluster: ServerCluster | None = None,
) -> str:
    passwords = {user: f"${variable(user)}" for user in user_names(tenants)}
    data, everywhere = Path("/data"), "0.0.0.0"  # noqa: S104 (in a container)
    config = ServerConfig(data, passwords, KEYS, tenants, bounds, everywhere, keys=keys, tls=tls)
    if cluster:
        config = replace(config, cluster=replace(cluster, host=everywhere), server_name=NODE)
    text = config.render()
    for reference in (*passwords.values(), KEYS.user, KEYS.issuer, NODE):
        text = text.replace(f'"{reference}"', reference)
    return HEADER + MONITORING + text


def own(
    file: Path,
    tenants: Sequence[str],
    admitted: Path,
    keys: Mapping[str, str],
    tls: ServerTls | None = None,
    cluster: ServerCluster | None = None,
) -> str:
    """A configuration with tenants of one's own. A server that runs sees no new variables: their passwords, made once
    and kept from then on, stand in the file."""
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    kept = dict(re.findall(r'^(STEMMA_PASSWORD_\w+): "(\w+)"$', before, re.MULTILINE))
    lines = []
    for tenant in tenants:
        if tenant not in DEFAULT_TENANTS:
            name = variable(client_user(tenant))
            lines.append(f'{name}: "{_admitted(admitted, tenant, kept.get(name) or password())}"\n')
        if key := keys.get(client_user(tenant)):
            Admitted(admitted, tenant).admit_program_by_key(client_user(tenant), key)
    services = {user: key for user, key in keys.items() if user not in map(client_user, tenants)}
    return "".join(lines) + rendered(tenants, Bounds.of(os.environ), services, tls, cluster)


def _admitted(folder: Path, tenant: str, secret: str) -> str:
    Admitted(folder, tenant).admit_program(client_user(tenant), secret)
    return secret


def password() -> str:
    """A fresh one; a leading letter keeps the server from reading a number."""
    return f"p{secrets.token_hex(24)}"


def environment(admitted: Path) -> str:
    """One line per password, PostgreSQL's too, what the server knows the admission by, and the key of cookies."""
    passwords = {user: password() for user in [*user_names(), POSTGRES]}
    for tenant in DEFAULT_TENANTS:
        _admitted(admitted, tenant, passwords[client_user(tenant)])
    seals = Seals.of(passwords[ADMISSION])
    values = {variable(user): secret for user, secret in passwords.items()}
    values |= {KEYS.user[1:]: seals.user.public, KEYS.issuer[1:]: seals.issuer.public}
    values["STEMMA_COOKIE_KEYS"] = password()
    values["STEMMA_ADMITTED"] = str(admitted.absolute())
    return "".join(f"{name}={value}\n" for name, value in values.items())


def main(arguments: list[str]) -> int:
    """Write, check or print; returns the exit status."""
    options = _options(arguments)
    if options.env:
        print(environment(options.admitted), end="")
    elif options.seed:
        print(new_seed(options.seed))
    elif options.to:
        tls = ServerTls(options.certificate, options.certificate_key, options.ca) if options.certificate else None
        tenants = options.tenant or DEFAULT_TENANTS
        text = own(options.to, tenants, options.admitted, dict(options.key), tls, _cluster(options))
        options.to.touch(mode=0o600)
        options.to.write_text(text, encoding="utf-8")
    elif not options.check:
        TARGET.write_text(rendered(), encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != rendered():
        print("deploy/nats/nats.conf is not as rendered: run `make nats`", file=sys.stderr)
        return 1
    return 0


def _cluster(options: argparse.Namespace) -> ServerCluster | None:
    if not options.route:
        return None
    tls = ServerTls(options.route_certificate, options.route_key, options.route_ca)
    return ServerCluster(options.route, tls, port=int(options.route[0].rpartition(":")[2]))


def _route(text: str) -> str:
    if not re.fullmatch(r"[\w.-]+:[1-9]\d*", text):
        raise argparse.ArgumentTypeError("must be HOST:PORT")
    return text


def new_seed(file: Path) -> str:
    """Keep a new secret key in a file that its owner alone can read; its public half."""
    pair = Signer(secrets.token_hex(32), "user", nkeys.PREFIX_BYTE_USER)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as kept:
        kept.write(pair.seed)
    return pair.public


def _key(text: str) -> tuple[str, str]:
    user, _, key = text.partition("=")
    if not re.fullmatch(r"U[A-Z2-7]{55}", key):
        raise argparse.ArgumentTypeError("must be USER=PUBLIC, as --seed prints it")
    return user, key


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--env", action="store_true")
    parser.add_argument("--to", type=Path)
    parser.add_argument("--admitted", type=Path, default=ADMITTED)
    parser.add_argument("--seed", type=Path)
    parser.add_argument("--key", action="append", default=[], type=_key)
    parser.add_argument("--certificate", type=Path)
    parser.add_argument("--certificate-key", type=Path)
    parser.add_argument("--ca", type=Path)
    parser.add_argument("--tenant", action="append", type=lambda name: check_token(name, "tenant"))
    parser.add_argument("--route", action="append", default=[], type=_route)
    for file in ("certificate", "key", "ca"):
        parser.add_argument(f"--route-{file}", type=Path)
    options = parser.parse_args(arguments)
    if options.route and not (options.route_certificate and options.route_key and options.route_ca):
        parser.error("--route needs --route-certificate, --route-key and --route-ca: who is let in there is a server")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
