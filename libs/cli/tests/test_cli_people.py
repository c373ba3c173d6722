"""Admitting people: what is handed over, and what their server is told."""

import json
from pathlib import Path

import pytest
from stemma_cli.main import app
from stemma_client.logins import login_of, public_key, read_login
from stemma_provisioning.admitted import Admitted
from typer.testing import CliRunner


def added(folder: Path, *arguments: str) -> dict[str, str]:
    """What is told of somebody who is admitted at another server."""
    (folder / "login").unlink(missing_ok=True)
    where = ["--admitted", str(folder), "--output", str(folder / "login"), "--json"]
    done = CliRunner().invoke(app, ["user", *arguments, *where], env={"STEMMA_NATS_URL": "nats://x:4222"})
    assert done.exit_code == 0, done.output
    told: dict[str, str] = json.loads(done.stdout)
    return told


@pytest.mark.req("S4", "H1")
def test_the_password_that_is_printed_makes_the_login_that_is_written_and_another_one_when_keys_are_changed(
    tmp_path: Path,
) -> None:
    told = added(tmp_path, "add", "ada", "--role", "reviewer")
    login = read_login(tmp_path / "login")
    assert login_of(login.url, "default", "ada", told["password"], role="reviewer") == login
    assert Admitted(tmp_path, "default").people()["ada"].keys.reading == public_key(login.reading_seed)
    other = added(tmp_path, "rotate", "ada")
    assert other["password"] != told["password"]
    assert Admitted(tmp_path, "default").people()["ada"].keys.reading != public_key(login.reading_seed)


@pytest.mark.req("S4", "H1")
def test_a_person_is_linked_with_what_a_provider_calls_them_and_stays_so_when_keys_are_changed(tmp_path: Path) -> None:
    added(tmp_path, "add", "ada", "--role", "reader", "--identity", "ada@example.com")
    added(tmp_path, "rotate", "ada")
    assert Admitted(tmp_path, "default").people()["ada"].identity == "ada@example.com"
    added(tmp_path, "add", "bob", "--role", "reader")
    assert "identity" not in json.loads((tmp_path / "default.json").read_text())["people"]["bob"]
