"""What is left out of LiteLLM is there for who asks for it, and as it is without that."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.xdist_group("litellm")

SHOW = """
import json, sys, litellm, litellm.utils
left_out = [name for name in ("json_data", "claude_json_str") if name not in vars(litellm.utils)]
left_out += [name for name in ("cryptography.hazmat.primitives.hashes", "litellm.router") if name not in sys.modules]
marks = [
    name for name, module in list(sys.modules.items())
    if any(type(value).__name__ == "_Mark" for value in list(getattr(module, "__dict__", {}).values()))
]
from litellm.llms.oci import common_utils as oci
from litellm.utils import claude_json_str
print(json.dumps({
    "left_out": left_out,
    "marks": marks,
    "router": [litellm.Router.__module__, litellm.router.Router is litellm.Router],
    "names": sorted({name for name in vars(litellm) if not name.startswith("__")} | {"Router", "router"}),
    "vocabulary": [hash(claude_json_str), hash(json.dumps(litellm.utils.json_data))],
    "tokens": [litellm.utils.huggingface_tokenizer_kind("claude-2"), *litellm.encode("claude-2", "Three quays.")],
    "ciphers": oci.rsa.RSAPrivateKey.__module__ + oci.padding.PKCS1v15().name + oci.hashes.SHA256().name,
    "pem": oci.serialization.load_pem_private_key.__name__,
    "available": oci._CRYPTOGRAPHY_AVAILABLE,
    "others": litellm.utils.get_secret.__name__,
}))
"""
SPARED = "from stemma_models.sparing import spare_litellm\nspare_litellm()\n"


def shown(source: str) -> dict[str, object]:
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-W", "ignore", "-c", source]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_who_asks_litellm_for_what_was_left_out_gets_what_it_always_is() -> None:
    spared, whole = shown(SPARED + SHOW), shown(SHOW)
    left_out = ["json_data", "claude_json_str", "cryptography.hazmat.primitives.hashes", "litellm.router"]
    assert (spared.pop("left_out"), whole.pop("left_out")) == (left_out, [])
    assert (spared["marks"], spared) == ([], whole)
