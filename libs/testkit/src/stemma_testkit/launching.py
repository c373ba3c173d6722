"""The launcher of a test run: what services import and make when they work for the first time is there in all copies.

That is what calls models, the schemas of contracts, and the processes in which hostile text is read: they are executed
once, and copies make their calls by the connections that they have in common.

usage: python -m stemma_testkit.launching CONTROL
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points

from stemma_cli.local import launching
from stemma_cli.local.run import SERVICES_GROUP
from stemma_confinement import Prepared
from stemma_contracts import Contract
from stemma_models import ModelSettings, chat_model

VOCABULARIES = "TIKTOKEN_CACHE_DIR"
"""Where LiteLLM has tiktoken find the vocabularies that it brings along; it says so once, when it is imported."""
NOBODY = ModelSettings(name="openai/nobody", api_base="http://127.0.0.1", context_tokens=4096)


def main() -> None:
    """Import and make it, and be the launcher."""
    gc.disable()
    import_all()
    launching.main()


def import_all() -> None:
    """Import and make it; the environment of this process stays as it was, but for where vocabularies are."""
    before = dict(os.environ)
    for service in entry_points(group=SERVICES_GROUP):
        service.load()
    begin_prepared()
    build_contracts()
    chat_model(NOBODY).get_num_tokens(".")
    import_module("openai.resources")
    vocabularies = os.environ[VOCABULARIES]
    os.environ.clear()
    os.environ.update(before | {VOCABULARIES: vocabularies})


def begin_prepared() -> None:
    """Execute the processes that modules here have their calls made by."""
    found = (value for module in list(sys.modules.values()) for value in vars(module).values())
    for prepared in {value for value in found if isinstance(value, Prepared)}:
        attendant = prepared._process
        attendant._control = attendant._control or attendant._execute()


def build_contracts() -> None:
    """Build what is built with the first use of each."""
    for contract in _all_of(Contract):
        contract.model_rebuild()


def _all_of(contract: type[Contract]) -> Iterator[type[Contract]]:
    for more in contract.__subclasses__():
        yield more
        yield from _all_of(more)


if __name__ == "__main__":
    main()
