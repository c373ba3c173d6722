"""Nothing is skipped silently for want of an engine or a server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from stemma_provisioning.server import find_binary

SKIPS = {
    "in a test": "import pytest\ndef test_it(): pytest.skip('no engine')\n",
    "by a mark": "import pytest\n@pytest.mark.skip\ndef test_it(): pass\n",
    "a whole module": "import pytest\npytest.skip('no engine', allow_module_level=True)\n",
    "for an import": "import pytest\npytest.importorskip('no_such_module')\n",
}


@pytest.mark.req("E6")
@pytest.mark.parametrize("way", SKIPS)
def test_a_skip_is_a_failure(tmp_path: Path, way: str) -> None:
    (tmp_path / "test_skipping.py").write_text(SKIPS[way])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "stemma_testkit.no_skips", "--rootdir", str(tmp_path)]
    done = subprocess.run([*command, str(tmp_path)], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0
    assert "counts as a failure" in done.stdout


@pytest.mark.req("E6")
def test_the_server_of_the_tests_is_the_packaged_one_of_this_environment() -> None:
    assert Path(find_binary()).parent == Path(sys.executable).parent
