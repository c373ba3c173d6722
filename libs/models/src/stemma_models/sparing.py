"""What LiteLLM imports or reads for few of its users, there when one of these asks for it.

LiteLLM's release is pinned; `test_models_sparing.py` fails when there is nothing to spare here any more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from types import ModuleType
from typing import IO, Any, cast

from stemma_contracts.importing import execute_within, find_later, leave_out, leave_out_names, name_lazily

_VOCABULARY = "anthropic_tokenizer.json"
"""Of models that came before Claude 3."""
_CIPHERS = "cryptography.hazmat.primitives"


def spare_litellm() -> None:
    """For LiteLLM, if it is imported after this."""
    if "litellm" in sys.modules:
        return
    # It needs a third of the SDK of OpenAI, which has a thousand modules of types.
    name_lazily("openai.types", "openai.resources")
    # By which requests to Oracle's cloud are signed: 2 MB, and 2 that processes share.
    ciphers = ("hashes", "serialization", "asymmetric.padding", "asymmetric.rsa")
    leave_out(*(f"{_CIPHERS}.{name}" for name in ciphers), of="litellm.llms.oci.common_utils")
    # Which distributes calls over deployments: 5 MB.
    leave_out_names("litellm.router", of="litellm")
    execute_within("litellm.utils", _vocabulary_unread)


@contextmanager
def _vocabulary_unread(utils: ModuleType) -> Iterator[None]:
    """It would read the vocabulary, write it as text again, and keep both: 17 MB, of which 7 stay when it is let go."""
    read = json.load

    def load(file: IO[str], **options: Any) -> Any:
        return {} if str(getattr(file, "name", "")).endswith(_VOCABULARY) else read(file, **options)

    # Whoever else reads JSON meanwhile, in another thread, reads it as always.
    cast("Any", json).load = load
    try:
        yield
    finally:
        cast("Any", json).load = read
    find_later(utils, {name: find for name, find in _OF_IT.items() if vars(utils).pop(name, None) is not None})


def _vocabulary() -> Any:
    return json.loads(files("litellm.litellm_core_utils.tokenizers").joinpath(_VOCABULARY).read_text("utf-8"))


_OF_IT: dict[str, Callable[[], Any]] = {
    "json_data": _vocabulary,
    "claude_json_str": lambda: json.dumps(_vocabulary()),
}
