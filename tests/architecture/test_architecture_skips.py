"""Nothing is skipped silently for want of an engine or a server."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from stemma_provisioning.server import find_binary

ROOT = Path(__file__).parents[2]
SKIPS = {
    "in a test": "import pytest\ndef test_it(): pytest.skip('no engine')\n",
    "by a mark": "import pytest\n@pytest.mark.skip\ndef test_it(): pass\n",
    "a whole module": "import pytest\npytest.skip('no engine', allow_module_level=True)\n",
    "for an import": "import pytest\npytest.importorskip('no_such_module')\n",
}


@pytest.mark.req("E6")
def test_a_skip_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for way, text in SKIPS.items():
        (tmp_path / f"test_{way.replace(' ', '_')}.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "stemma_testkit.plugin", "--rootdir", str(tmp_path)]
    command.append("--continue-on-collection-errors")
    done = subprocess.run([*command, str(tmp_path)], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0
    assert done.stdout.splitlines()[-1].startswith("1 failed, 3 errors in")
    assert "counts as a failure here" in done.stdout


@pytest.mark.req("E6")
def test_the_server_of_the_tests_is_the_packaged_one_of_this_environment() -> None:
    assert Path(find_binary()).parent == Path(sys.executable).parent


@pytest.mark.req("E6")
def test_every_folder_of_tests_is_run() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    folders = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("tests/**/test_*.py")}
    assert folders - set(options["testpaths"]) == set()


@pytest.mark.req("E6")
def test_how_fast_the_machine_is_decides_no_property_test() -> None:
    """Hypothesis gives each example 0.2 s by default, which a busy machine exceeds."""
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
