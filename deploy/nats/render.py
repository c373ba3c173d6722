"""Render the committed nats.conf from the permissions that provisioning knows; passwords stay in the environment.

usage: python deploy/nats/render.py            write deploy/nats/nats.conf
       python deploy/nats/render.py --check    exit 1 if the committed file differs
       python deploy/nats/render.py --env      print fresh passwords, for a .env beside docker-compose.yml
"""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

from stemma_provisioning.config import ServerConfig, user_names

TARGET = Path(__file__).with_name("nats.conf")
HEADER = "# Made by `make nats`. Every password is an environment variable that begins with a letter.\n"
MONITORING = 'http: "127.0.0.1:8222"\n'
POSTGRES = "postgres"


def variable(user: str) -> str:
    """The environment variable that holds the password of a user."""
    return f"STEMMA_PASSWORD_{user.upper().replace('-', '_')}"


def rendered() -> str:
    """The text of nats.conf."""
    passwords = {user: f"${variable(user)}" for user in user_names()}
    text = ServerConfig(store_dir=Path("/data"), passwords=passwords, host="0.0.0.0").render()  # noqa: S104 (in a container)
    for reference in passwords.values():
        text = text.replace(f'"{reference}"', reference)
    return HEADER + MONITORING + text


def environment() -> str:
    """One line per password, PostgreSQL's too; a leading letter keeps the server from reading a number."""
    return "".join(f"{variable(user)}=p{secrets.token_hex(24)}\n" for user in [*user_names(), POSTGRES])


def main(arguments: list[str]) -> int:
    """Write, check or print; returns the exit status."""
    if arguments == ["--env"]:
        print(environment(), end="")
    elif arguments != ["--check"]:
        TARGET.write_text(rendered(), encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != rendered():
        print("deploy/nats/nats.conf is not as rendered: run `make nats`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
