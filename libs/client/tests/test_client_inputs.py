import mimetypes
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from stemma_client import InvalidInputError
from stemma_client.inputs import MAX_FILE_BYTES, collect, media_type_of, read
from stemma_contracts.media import MEDIA_TYPE_PATTERN, SHOWN


def names(*paths: Path) -> list[str]:
    return [item.name for item in collect(paths)]


def made(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def test_takes_a_file_under_its_name_and_a_folder_under_the_paths_of_what_is_not_hidden_in_it(tmp_path: Path) -> None:
    folder = made(tmp_path / "inputs", "media/plan.png", "needs.md", ".git/config", ".env")
    os.mkfifo(folder / ".pipe")
    (folder / "same.md").symlink_to("needs.md")
    made(tmp_path, "quotes.md")
    assert names(folder, tmp_path / "quotes.md") == ["media/plan.png", "needs.md", "quotes.md", "same.md"]


def link(folder: Path, target: str) -> Path:
    (made(folder, "needs.md") / "link.md").symlink_to(target)
    return folder / "link.md"


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def big(folder: Path) -> Path:
    with (folder / "big.bin").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    return folder / "big.bin"


REFUSED: list[tuple[str, Callable[[Path], Path]]] = [
    ("no such file", lambda folder: folder / "absent"),
    ("larger than 50 MiB", big),
    ("more than 200", lambda folder: made(folder, *(f"{number}.md" for number in range(201)))),
    ("control", lambda folder: made(folder, "evil\x1b[2J.md")),
    (r"/\\xff\\xfe\.md is not UTF-8: rename it", lambda folder: made(folder, os.fsdecode(b"\xff\xfe.md"))),
    (r"there is no file in .*/empty, or only hidden ones", lambda folder: made(folder / "empty", "deeper/.hidden")),
    ("/pipe is neither a file nor a folder", pipe),
    ("/pipe is neither a file nor a folder", lambda folder: pipe(folder).parent),
    (r"/link\.md is a link that leads nowhere", lambda folder: link(folder, "link.md")),
    (r"/link\.md is a link that leads nowhere", lambda folder: link(folder, "absent.md").parent),
    *(
        ("leads out of", lambda folder, target=target: link(folder, target).parent)
        for target in ("/etc/passwd", "../outside.md", "/etc")
    ),
]


@pytest.mark.parametrize(("words", "given"), REFUSED)
def test_refuses_what_cannot_be_an_input_by_its_path(tmp_path: Path, words: str, given: Callable[[Path], Path]) -> None:
    beside, folder = made(tmp_path, "outside.md") / "outside.md", tmp_path / "given"
    folder.mkdir()
    with pytest.raises(InvalidInputError, match=words):
        collect([beside, given(folder)])


def test_refuses_two_files_of_one_name_and_to_read_what_is_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="two inputs are called 'needs"):
        collect([made(tmp_path / "a", "needs.md"), made(tmp_path / "b", "needs.md")])
    for path, words in ((tmp_path / "absent", "cannot read"), (big(tmp_path), "larger than 50 MiB")):
        with pytest.raises(InvalidInputError, match=words):
            read(path)


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


@pytest.mark.req("I1")
def test_the_media_type_of_whatever_a_file_is_called_is_one_that_a_request_may_have() -> None:
    names = [
        f"a{suffix}" for suffix in (*mimetypes.types_map, *mimetypes.common_types, ".docm", ".xlsm", ".unknown", "")
    ]
    assert [name for name in names if not re.fullmatch(MEDIA_TYPE_PATTERN, media_type_of(name))] == []
