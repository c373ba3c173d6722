"""Importing a module connects to nothing, starts nothing and loads no model library."""

import json
import subprocess
import sys
from typing import NamedTuple

import pytest
from source_tree import PACKAGES, SERVICES
from stemma_validator.confined import CHECKS

IMPORT_ALL = """
import json, sys
from importlib import import_module

def refuse(event, _args):
    if event in {"socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.fork"}:
        raise RuntimeError(f"{event} while importing")

def failures(names):
    for name in names:
        try:
            import_module(name)
        except Exception as error:
            yield f"{name}: {type(error).__name__}: {error}"

def large(*names):
    return [name for name in names if name in sys.modules]

sys.addaudithook(refuse)
prepared, services, others, foreign, expensive = json.load(sys.stdin)
failed = [*failures(prepared)]
by_prepared = large(*foreign)
failed += failures(services)
by_services = large(*expensive)
failed += failures(others)
print(json.dumps([failed, by_prepared, by_services, large("litellm")]))
"""


EXPENSIVE = {
    "litellm": "is for models that ask for it",
    "mcp": "is for agents, once one calls the gateway",
    "stemma_mcp": "is as well",
    "openpyxl": "is for reading files, in processes of their own",
    "pptx": "is as well",
    "pypdfium2": "is as well",
    "oxmsg": "is as well",
}
"""What no service imports when it starts."""


PREPARED = [
    "stemma_cli.form_call",
    "stemma_cli.proofs",
    "stemma_converter.conversion",
    "stemma_converter.reading_call",
    "stemma_editor_agent.judging",
    "stemma_gateway.texts",
    "stemma_generation_graph.reading",
    *(f"stemma_validator.{name}" for name in CHECKS),
]
FOREIGN = ["fastapi", "faststream", "langchain_core", "nats"]
"""What no prepared process imports, of services that do: each takes time at the first long text, and memory."""


class Imported(NamedTuple):
    """What could not be imported and why, and which large libraries were, by whom, and by anything."""

    failed: list[str]
    large_by_prepared: list[str]
    large_by_services: list[str]
    large: list[str]


def module_names() -> list[str]:
    names = []
    for package in PACKAGES:
        for file in package.sources if package.name != "stemma-testkit" else ():
            dotted = ".".join(file.relative_to(package.folder / "src").with_suffix("").parts)
            names.append(dotted.removesuffix(".__init__"))
    return [name for name in names if not name.endswith("__main__")]


@pytest.fixture(scope="module")
def imported() -> Imported:
    """What comes of importing every module, those of services first, in one process."""
    services = [f"{service.module}.app" for service in SERVICES]
    told = json.dumps([PREPARED, services, module_names(), FOREIGN, list(EXPENSIVE)])
    result = subprocess.run([sys.executable, "-c", IMPORT_ALL], input=told, check=True, capture_output=True, text=True)
    failed, *large = json.loads(result.stdout)
    return Imported([*failed, *result.stderr.splitlines()], *large)


def test_no_module_connects_or_starts_anything_at_import(imported: Imported) -> None:
    assert (imported.failed, imported.large) == ([], [])


def test_services_and_prepared_processes_load_nothing_large_that_is_for_others_or_later(
    imported: Imported,
) -> None:
    assert (imported.large_by_prepared, imported.large_by_services) == ([], [])


def test_a_connection_at_import_is_found() -> None:
    source = "import socket; socket.create_connection(('127.0.0.1', 9))"
    assert "socket.connect while importing" in run_source(source)


def run_source(source: str) -> str:
    hook = IMPORT_ALL.partition("prepared, services,")[0]
    result = subprocess.run([sys.executable, "-c", f"{hook}\n{source}"], check=False, capture_output=True, text=True)
    return result.stderr
