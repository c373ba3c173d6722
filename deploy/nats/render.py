"""Render the committed nats.conf from the permissions that provisioning knows; passwords stay in the environment.

usage: python deploy/nats/render.py            write deploy/nats/nats.conf
       python deploy/nats/render.py --check    exit 1 if the committed file differs
       python deploy/nats/render.py --env      print fresh passwords, for a .env beside docker-compose.yml
       python deploy/nats/render.py --to FILE --tenant NAME ...    write a configuration with these tenants
"""

from __future__ import annotations

import argparse
import re
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

from stemma_contracts.tokens import check_token
from stemma_provisioning import client_user
from stemma_provisioning.config import ServerConfig, user_names
from stemma_provisioning.topology import DEFAULT_TENANTS

TARGET = Path(__file__).with_name("nats.conf")
HEADER = "# Made by `make nats`. Every password is an environment variable that begins with a letter.\n"
MONITORING = 'http: "127.0.0.1:8222"\n'
POSTGRES = "postgres"


def variable(user: str) -> str:
    """The environment variable that holds the password of a user."""
    return f"STEMMA_PASSWORD_{user.upper().replace('-', '_')}"


def rendered(tenants: Sequence[str] = DEFAULT_TENANTS) -> str:
    """The text of nats.conf."""
    passwords = {user: f"${variable(user)}" for user in user_names(tenants)}
    config = ServerConfig(Path("/data"), passwords, tenants, host="0.0.0.0")  # noqa: S104 (in a container)
    text = config.render()
    for reference in passwords.values():
        text = text.replace(f'"{reference}"', reference)
    return HEADER + MONITORING + text


def own(file: Path, tenants: Sequence[str]) -> str:
    """A configuration with tenants of one's own. A server that runs sees no new variables: their passwords, made once
    and kept from then on, stand in the file."""
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    kept = dict(re.findall(r'^(STEMMA_PASSWORD_\w+): "(\w+)"$', before, re.MULTILINE))
    new = [variable(client_user(tenant)) for tenant in tenants if tenant not in DEFAULT_TENANTS]
    lines = [f'{name}: "{kept.get(name) or password()}"\n' for name in new]
    return "".join(lines) + rendered(tenants)


def password() -> str:
    """A fresh one; a leading letter keeps the server from reading a number."""
    return f"p{secrets.token_hex(24)}"


def environment() -> str:
    """One line per password, PostgreSQL's too."""
    return "".join(f"{variable(user)}={password()}\n" for user in [*user_names(), POSTGRES])


def main(arguments: list[str]) -> int:
    """Write, check or print; returns the exit status."""
    options = _options(arguments)
    if options.env:
        print(environment(), end="")
    elif options.to:
        text = own(options.to, options.tenant or DEFAULT_TENANTS)
        options.to.touch(mode=0o600)
        options.to.write_text(text, encoding="utf-8")
    elif not options.check:
        TARGET.write_text(rendered(), encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != rendered():
        print("deploy/nats/nats.conf is not as rendered: run `make nats`", file=sys.stderr)
        return 1
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--env", action="store_true")
    parser.add_argument("--to", type=Path)
    parser.add_argument("--tenant", action="append", type=lambda name: check_token(name, "tenant"))
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
