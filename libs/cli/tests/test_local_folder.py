import subprocess
import sys
from pathlib import Path

import pytest
from stemma_cli.local.folder import AlreadyRunningError, DataFolder

HOLD = (
    "import pathlib, signal, sys\nfrom stemma_cli.local.folder import DataFolder\n"
    "with DataFolder(pathlib.Path(sys.argv[1])).locked():\n    print('held', flush=True)\n    signal.pause()"
)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    made = DataFolder(tmp_path / "data")
    made.create()
    return made


def test_a_folder_is_held_by_one_process_and_free_when_that_is_killed(folder: DataFolder) -> None:
    command = [sys.executable, "-c", HOLD, str(folder.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(AlreadyRunningError, match=f"pid {holder.pid}"), folder.locked():
            pass
        holder.kill()
        holder.wait(20)

    with folder.locked():
        pass


@pytest.mark.req("P16")
def test_passwords_are_random_kept_and_for_the_owner_alone(folder: DataFolder) -> None:
    first = folder.make_passwords(["orchestrator", "validator"])
    again = folder.make_passwords(["orchestrator", "validator", "converter"])

    fewer = folder.make_passwords(["validator"])

    assert first.items() <= again.items() == fewer.items()
    assert len(set(again.values())) == 3
    assert min(map(len, again.values())) >= 32
    assert (folder.root / "credentials.json").stat().st_mode & 0o777 == 0o600
    assert folder.root.stat().st_mode & 0o777 == 0o700


def test_the_state_is_for_the_owner_alone_and_goes_away(folder: DataFolder) -> None:
    folder.write_state({"url": "nats://127.0.0.1:1"})

    assert folder.state_file.stat().st_mode & 0o777 == 0o600
    folder.clear_state()
    assert not folder.state_file.exists()
