"""What libraries import for few of their users is there for these, and only then."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.importing import exports_of, leave_out_names, name_lazily

NAMING = """
from __future__ import annotations

from . import other
from .one import One as One, Two as Second

__all__ = ["One"]
"""


@pytest.fixture
def naming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package that only names things, and is to be loaded lazily."""
    folder = tmp_path / "naming_sdk"
    folder.mkdir()
    (folder / "__init__.py").write_text(NAMING)
    (folder / "one.py").write_text("class One: pass\nclass Two: pass\n")
    (folder / "other.py").write_text("import naming_sdk_is_missing\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    name_lazily("naming_sdk")
    yield "naming_sdk"
    for name in [name for name in sys.modules if name.startswith("naming_sdk")]:
        del sys.modules[name]


@pytest.mark.usefixtures("naming")
def test_a_name_of_a_package_is_loaded_when_it_is_asked_for_and_is_what_it_always_is() -> None:
    sdk: Any = import_module("naming_sdk")
    assert "naming_sdk.one" not in sys.modules
    assert sdk.Second is import_module("naming_sdk.one").Two
    assert sdk.one.One is sdk.One


@pytest.mark.usefixtures("naming")
def test_what_is_not_there_or_does_not_import_is_told_as_always() -> None:
    sdk: Any = import_module("naming_sdk")
    with pytest.raises(AttributeError, match="'naming_sdk' has no attribute 'third'"):
        _ = sdk.third
    with pytest.raises(ModuleNotFoundError, match="naming_sdk_is_missing"):
        _ = sdk.other


DOING = """
from .other import Other
from .one import One, Two as Second

VALUE = 1

def __getattr__(name):
    if name == "late":
        return VALUE
    raise AttributeError(f"nothing is called {name}")
"""


@pytest.fixture
def doing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A package that does more than to name things, of which a module is left out."""
    folder = tmp_path / "doing_sdk"
    folder.mkdir()
    (folder / "__init__.py").write_text(DOING)
    (folder / "one.py").write_text("class One: pass\nclass Two: pass\n")
    (folder / "other.py").write_text("class Other: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    leave_out_names("doing_sdk.one", of="doing_sdk")
    yield folder
    for name in [name for name in sys.modules if name.startswith("doing_sdk")]:
        del sys.modules[name]


@pytest.mark.usefixtures("doing")
def test_a_module_that_a_package_only_names_is_loaded_when_it_is_asked_for() -> None:
    sdk: Any = import_module("doing_sdk")
    assert "doing_sdk.one" not in sys.modules
    assert sdk.Second is import_module("doing_sdk.one").Two
    assert (sdk.One, sdk.late, sdk.VALUE) == (sdk.one.One, 1, 1)
    with pytest.raises(AttributeError, match="nothing is called third"):
        _ = sdk.third


def test_who_else_imports_it_meanwhile_has_the_real_one(doing: Path) -> None:
    (doing / "other.py").write_text("from .one import One\nclass Other(One): pass\n")
    sdk: Any = import_module("doing_sdk")
    assert issubclass(sdk.Other, sdk.One)


@pytest.mark.parametrize("source", ["from .one import *", "import os", "from os import path", "VALUE = 1"])
def test_a_package_that_does_more_than_to_name_its_own_is_loaded_as_always(source: str) -> None:
    assert exports_of(source) is None


SPARED = """
import sys
from stemma_contracts.importing import spare_aiohttp
spare_aiohttp()
from nats.aio.transport import WebSocketTransport
assert "aiohttp" not in sys.modules
import asyncio
async def make():
    return WebSocketTransport()
made = asyncio.run(make())
import aiohttp
assert isinstance(made._client, aiohttp.ClientSession)
"""


def test_web_sockets_of_nats_have_what_they_need() -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", SPARED], check=True, stderr=subprocess.DEVNULL)
