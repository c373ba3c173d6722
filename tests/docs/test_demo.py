"""The first command of the README, as a person types it; `tests/e2e/test_e2e_demo.py` looks into its files."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

pytestmark = [pytest.mark.full, pytest.mark.timeout(360)]
ROOT = Path(__file__).parents[2]
INSTALLED = [part for stamp in ("run", "setup") for part in ("-o", f"{sys.prefix}/.stemma-{stamp}")]
"""What keeps make from installing: it works in the installation that runs this."""
WITHIN_S = 330


@pytest.mark.req("E1", "P9", "B1", "B6", "B8")
def test_make_demo_hands_in_the_answer_to_a_real_request(tmp_path: Path) -> None:
    out = tmp_path / "demo output"
    command, environment = called("demo", f"OUTPUT={out}")
    done = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=WITHIN_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Done in" in done.stdout
    assert {path.name for path in out.iterdir()} == {
        *(f"proposal{ending}" for ending in (".docx", ".pdf", ".html", "-open-requirements.csv")),
        "structure.json",
        "pricing-filled.xlsx",
    }


@pytest.mark.req("H1", "H5")
def test_make_demo_with_the_desk_leaves_everything_running_and_opens_it() -> None:
    command, environment = called("demo", "DESK=1")
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout is not None
        opens = next(line for line in running.stdout if line.startswith("This opens it signed in"))
        with httpx.Client(follow_redirects=True, headers={"Accept": "text/html"}) as browser:
            page = browser.get(opens.rpartition(" ")[2].strip())
        os.killpg(running.pid, signal.SIGINT)
        running.stdout.read()
    assert page.status_code == 200
    assert all(why in page.text for why in ("Proposed edit 1", "Review 1", "Stale"))


def called(*arguments: str) -> tuple[list[str], dict[str, str]]:
    """A verb of the Makefile."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STEMMA_", "MAKE"))}
    return ["make", f"VENV={sys.prefix}", *INSTALLED, *arguments], environment
