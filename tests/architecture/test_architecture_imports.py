"""Importing a module connects to nothing, starts nothing and loads no model library."""

from __future__ import annotations

import subprocess
import sys

from source_tree import PACKAGES, SERVICES

IMPORT_ALL = """
import sys
from importlib import import_module

def refuse(event, _args):
    if event in {"socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.fork"}:
        raise RuntimeError(f"{event} while importing")

sys.addaudithook(refuse)
for name in sys.argv[1:]:
    try:
        import_module(name)
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}")
if "litellm" in sys.modules:
    print("litellm was imported")
"""
IMPORT_SERVICES = """
import sys
from importlib import import_module

for name in sys.argv[1:]:
    import_module(name)
print([name for name in ("litellm", "aiohttp", "langsmith.types.run") if name in sys.modules])
"""


def module_names() -> list[str]:
    names = []
    for package in PACKAGES:
        for file in package.sources:
            dotted = ".".join(file.relative_to(package.folder / "src").with_suffix("").parts)
            names.append(dotted.removesuffix(".__init__"))
    return [name for name in names if not name.endswith("__main__")]


def run(*names: str) -> str:
    result = subprocess.run([sys.executable, "-c", IMPORT_ALL, *names], check=False, capture_output=True, text=True)
    return result.stdout + result.stderr[-2000:]


def test_no_module_connects_or_starts_anything_at_import() -> None:
    assert run(*module_names()) == ""


def test_services_load_nothing_large_that_libraries_import_for_others() -> None:
    apps = [f"{service.module}.app" for service in SERVICES]
    result = subprocess.run([sys.executable, "-c", IMPORT_SERVICES, *apps], check=True, capture_output=True, text=True)
    assert result.stdout == "[]\n"


def test_a_connection_at_import_is_found() -> None:
    source = "import socket; socket.create_connection(('127.0.0.1', 9))"
    assert "socket.connect while importing" in run_source(source)


def run_source(source: str) -> str:
    hook = IMPORT_ALL.partition("for name in")[0]
    result = subprocess.run([sys.executable, "-c", f"{hook}\n{source}"], check=False, capture_output=True, text=True)
    return result.stderr
