import mimetypes
import os
import re
from pathlib import Path

import pytest
from stemma_client import InvalidInputError
from stemma_client.inputs import MAX_FILE_BYTES, collect, media_type_of, read
from stemma_contracts.media import MEDIA_TYPE_PATTERN, SHOWN


def names(*paths: Path) -> list[str]:
    return [item.name for item in collect(paths)]


def test_takes_a_file_under_its_name_and_a_folder_under_the_paths_inside_it(tmp_path: Path) -> None:
    folder = tmp_path / "inputs"
    (folder / "media").mkdir(parents=True)
    (folder / "media" / "plan.png").touch()
    (folder / "needs.md").touch()
    (tmp_path / "quotes.md").touch()

    assert names(folder, tmp_path / "quotes.md") == ["media/plan.png", "needs.md", "quotes.md"]


@pytest.mark.req("G10")
@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.png", "image/png"),
        ("a.JPG", "image/jpeg"),
        ("a.jpeg", "image/jpeg"),
        ("a.gif", "image/gif"),
        ("a.webp", "image/webp"),
        ("a.bmp", "application/octet-stream"),
        ("a.svg", "application/octet-stream"),
        ("a.MD", "text/markdown"),
        ("a.rst", "text/plain"),
        ("a.csv", "text/csv"),
        ("a.pdf", "application/pdf"),
        ("LICENSE", "application/octet-stream"),
        ("a.c", "text/x-csrc"),
    ],
)
def test_sends_as_an_image_what_every_export_can_show_and_reads_or_attaches_all_else(
    name: str, media_type: str
) -> None:
    assert media_type_of(name) == media_type
    assert (media_type in SHOWN) is media_type.startswith("image/")


def test_leaves_out_hidden_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").touch()
    (tmp_path / ".env").touch()
    os.mkfifo(tmp_path / ".pipe")
    (tmp_path / "needs.md").touch()

    assert names(tmp_path) == ["needs.md"]


def test_follows_a_link_inside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "needs.md").write_text("x")
    (tmp_path / "same.md").symlink_to("needs.md")

    assert names(tmp_path) == ["needs.md", "same.md"]


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside.md", "/etc"])
def test_refuses_a_link_that_leads_out_of_the_folder(tmp_path: Path, target: str) -> None:
    folder = tmp_path / "inputs"
    folder.mkdir()
    (tmp_path / "outside.md").touch()
    (folder / "link.md").symlink_to(target)

    with pytest.raises(InvalidInputError, match="leads out of"):
        collect([folder])


@pytest.mark.parametrize("target", ["absent.md", "link.md"])
def test_refuses_a_link_that_leads_nowhere(tmp_path: Path, target: str) -> None:
    (tmp_path / "needs.md").touch()
    (tmp_path / "link.md").symlink_to(target)

    for given in (tmp_path, tmp_path / "link.md"):
        with pytest.raises(InvalidInputError, match=r"/link\.md is a link that leads nowhere"):
            collect([given])


def test_refuses_what_is_neither_a_file_nor_a_folder(tmp_path: Path) -> None:
    (tmp_path / "needs.md").touch()
    os.mkfifo(tmp_path / "pipe")

    for given in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InvalidInputError, match="/pipe is neither a file nor a folder"):
            collect([given])


def test_refuses_a_folder_without_a_file_among_others(tmp_path: Path) -> None:
    (tmp_path / "needs.md").touch()
    empty = tmp_path / "empty"
    (empty / "deeper").mkdir(parents=True)
    (empty / ".hidden").touch()

    with pytest.raises(InvalidInputError, match=r"there is no file in .*/empty, or only hidden ones"):
        collect([tmp_path / "needs.md", empty])


def test_refuses_a_name_that_is_not_utf_8_and_shows_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff\xfe.md")
    path.touch()

    for given in (tmp_path, path):
        with pytest.raises(InvalidInputError, match=r"/\\xff\\xfe\.md is not UTF-8: rename it"):
            collect([given])


def test_refuses_two_files_of_one_name(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "needs.md").touch()

    with pytest.raises(InvalidInputError, match="two inputs are called 'needs"):
        collect([tmp_path / "a", tmp_path / "b"])


def test_refuses_a_name_that_is_not_allowed(tmp_path: Path) -> None:
    (tmp_path / "evil\x1b[2J.md").touch()

    with pytest.raises(InvalidInputError, match="control"):
        collect([tmp_path])


def test_refuses_too_many_files(tmp_path: Path) -> None:
    for number in range(201):
        (tmp_path / f"{number}.md").touch()

    with pytest.raises(InvalidInputError, match="more than 200"):
        collect([tmp_path])


def test_refuses_a_file_that_is_too_large(tmp_path: Path) -> None:
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    with pytest.raises(InvalidInputError, match="larger than 50 MiB"):
        collect([big])
    with pytest.raises(InvalidInputError, match="larger than 50 MiB"):
        read(big)


def test_refuses_a_path_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="no such file"):
        collect([tmp_path / "absent"])
    with pytest.raises(InvalidInputError, match="cannot read"):
        read(tmp_path / "absent")


@pytest.mark.req("I1")
def test_the_media_type_of_whatever_a_file_is_called_is_one_that_a_request_may_have() -> None:
    names = [
        f"a{suffix}" for suffix in (*mimetypes.types_map, *mimetypes.common_types, ".docm", ".xlsm", ".unknown", "")
    ]
    assert [name for name in names if not re.fullmatch(MEDIA_TYPE_PATTERN, media_type_of(name))] == []
