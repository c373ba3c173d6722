"""What a verb imports. Imports are most of what a verb takes, and they are counted by name, never timed."""

import asyncio
import json
import subprocess
import sys
from typing import Any

from stemma_provisioning import NatsServer

RUN = """
import json, sys
sys.argv[0], searched = "stemma", []
sys.addaudithook(lambda event, told: event == "open" and "entry_points.txt" in str(told[0]) and searched.append(1))
from stemma_cli.main import main
try:
    main()
finally:
    print(json.dumps([*sys.modules, *(["plugins"] if searched else [])]), file=sys.stderr)
"""


def imported_by(*arguments: str, environment: dict[str, str]) -> tuple[set[str], str]:
    """The modules that are there after a verb ran, ``plugins`` if it looked for some, and what it printed."""
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1])), done.stdout


UNREAD_MESSAGES = (
    "blocks capabilities comments deadlines details events inputs jobs ledger needs notifications outcomes"
)
HEAVY = {"asyncio", "nats", "rich", "stemma_client", "stemma_contracts", "stemma_markdown", "stemma_messaging"}


def test_help_imports_nothing_but_what_reads_the_command_line(environment: dict[str, str]) -> None:
    imported, shown = imported_by("--help", environment=environment)

    assert "3 rejected by Stemma, 4 no server, 5" in shown
    assert imported & (HEAVY | {"importlib.metadata", "pydantic"}) == set()


def test_help_of_a_verb_imports_no_other_verb(environment: dict[str, str]) -> None:
    imported, shown = imported_by("inbox", "--help", environment=environment)

    verbs = {name.rpartition(".")[2] for name in imported if name.startswith("stemma_cli.verbs.")}
    assert "Usage: stemma inbox" in shown
    assert imported & HEAVY == set()
    assert verbs == {"decisions"}


async def test_an_empty_inbox_imports_no_message_that_it_does_not_read(
    own_server: NatsServer, environment: dict[str, str]
) -> None:
    here = {"STEMMA_NATS_URL": own_server.url, "STEMMA_NATS_PASSWORD": own_server.passwords["client-default"]}
    imported, _ = await asyncio.to_thread(imported_by, "inbox", environment=environment | here)

    unread = {f"stemma_contracts.v1.{name}" for name in (*UNREAD_MESSAGES.split(), "provenance", "requests")}
    assert (
        imported & (unread | {"plugins", "stemma_artifacts", "stemma_domain", "stemma_markdown", "yaml", "rich"})
        == set()
    )


async def test_a_list_imports_no_reader_of_texts(backstage: Any, environment: dict[str, str]) -> None:
    imported, _ = await asyncio.to_thread(imported_by, "list", environment=environment)

    assert imported & {"stemma_languages", "stemma_markdown", "yaml"} == set()
