"""A message as Outlook keeps it, for tests: a compound file (MS-CFB) with the properties of MS-OXMSG."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

_SECTOR, _MINI = 512, 64
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_UNICODE, _BINARY, _LONG = 0x001F, 0x0102, 0x0003


@dataclass
class Storage:
    """A folder of a compound file."""

    streams: dict[str, bytes] = field(default_factory=dict)
    storages: dict[str, Storage] = field(default_factory=dict)


def message(subject: str, body: str, attachments: dict[str, bytes]) -> bytes:
    """A message from a person to the buyer, with files attached by value."""
    root = _with_properties(
        {0x001A: "IPM.Note", 0x0037: subject, 0x0C1A: "Ada", 0x5D01: "ada@example.com", 0x1000: body},
        header=struct.pack("<8xIIII8x", 1, len(attachments), 1, len(attachments)),
        flags=[(_LONG, 0x340D, 0x00040000)],
    )
    root.storages["__recip_version1.0_#00000000"] = _with_properties(
        {0x3001: "Renee", 0x39FE: "renee@example.com"}, header=bytes(8)
    )
    for number, (name, data) in enumerate(attachments.items()):
        part = _with_properties({0x3707: name, 0x370E: "application/octet-stream"}, bytes(8), [(_LONG, 0x3705, 1)])
        part.streams["__substg1.0_37010102"] = data
        part.streams["__properties_version1.0"] += struct.pack("<IIII", 0x37010102, 6, len(data), 0)
        root.storages[f"__attach_version1.0_#{number:08X}"] = part
    root.storages["__nameid_version1.0"] = Storage({"__substg1.0_00020102": bytes(16)})
    return compound(root)


def _with_properties(texts: dict[int, str], header: bytes, flags: list[tuple[int, int, int]] | None = None) -> Storage:
    storage, entries = Storage(), b""
    for number, text in texts.items():
        data = text.encode("utf-16-le")
        storage.streams[f"__substg1.0_{number:04X}{_UNICODE:04X}"] = data
        entries += struct.pack("<IIII", number << 16 | _UNICODE, 6, len(data) + 2, 0)
    for kind, number, value in flags or []:
        entries += struct.pack("<IIII", number << 16 | kind, 6, value, 0)
    storage.streams["__properties_version1.0"] = header + entries
    return storage


@dataclass
class _Entry:
    name: str
    kind: int
    data: bytes = b""
    child: int = _FREE
    right: int = _FREE
    start: int = _END


def compound(root: Storage) -> bytes:
    """The bytes of a compound file; every stream below 4,096 bytes lies in the mini stream."""
    entries = [_Entry("Root Entry", 5)]
    _add(root, 0, entries)
    sectors: list[bytes] = []
    fat: list[int] = []
    mini, mini_fat = b"", list[int]()
    for entry in entries[1:]:
        if entry.kind != 2 or not entry.data:
            continue
        if len(entry.data) >= 4096:
            entry.start = _put(entry.data, sectors, fat)
        else:
            entry.start = len(mini) // _MINI
            count = -(-len(entry.data) // _MINI)
            mini += entry.data.ljust(count * _MINI, b"\0")
            mini_fat += [*range(entry.start + 1, entry.start + count), _END]
    entries[0].data, entries[0].start = mini, _put(mini, sectors, fat)
    mini_table = struct.pack(f"<{len(mini_fat)}I", *mini_fat)
    mini_start, mini_count = _put(mini_table, sectors, fat, b"\xff"), -(-len(mini_table) // _SECTOR)
    directory = b"".join(map(_written, entries))
    directory_start = _put(directory, sectors, fat)
    tables = 1
    while tables * 128 < len(sectors) + tables:
        tables += 1
    first = len(sectors)
    fat += [_FAT] * tables
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(tables * _SECTOR, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, tables, directory_start, 0, 4096, mini_start, mini_count, _END, 0)
    header += struct.pack("<109I", *range(first, first + tables), *[_FREE] * (109 - tables))
    return header + b"".join(sectors) + table


def _put(data: bytes, sectors: list[bytes], fat: list[int], filler: bytes = b"\0") -> int:
    if not data:
        return _END
    start, count = len(sectors), -(-len(data) // _SECTOR)
    padded = data.ljust(count * _SECTOR, filler)
    sectors += [padded[at : at + _SECTOR] for at in range(0, len(padded), _SECTOR)]
    fat += [*range(start + 1, start + count), _END]
    return start


def _add(storage: Storage, parent: int, entries: list[_Entry]) -> None:
    """Append what a folder holds, each as the right neighbour of the one before it."""
    before = None
    items = [*((name, data, None) for name, data in storage.streams.items())]
    named = [*items, *((name, b"", inner) for name, inner in storage.storages.items())]
    for name, data, inner in sorted(named, key=lambda item: (len(item[0]), item[0].upper())):
        entries.append(_Entry(name, 2 if inner is None else 1, data))
        index = len(entries) - 1
        if before is None:
            entries[parent].child = index
        else:
            entries[before].right = index
        before = index
        if inner is not None:
            _add(inner, index, entries)


def _written(entry: _Entry) -> bytes:
    name = entry.name.encode("utf-16-le") + b"\0\0"
    return (
        name.ljust(64, b"\0")
        + struct.pack("<HBBIII", len(name), entry.kind, 1, _FREE, entry.right, entry.child)
        + bytes(36)
        + struct.pack("<IQ", entry.start, len(entry.data))
    )
