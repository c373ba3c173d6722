"""Office packages: the same parts give the same bytes."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_EARLIEST, _LATEST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2107, 12, 31, tzinfo=UTC)


def with_fixed_dates(package: bytes, moment: datetime) -> bytes:
    """The package with every entry dated ``moment`` (as far as the format reaches), its parts in their order."""
    stamp = min(max(moment.astimezone(UTC), _EARLIEST), _LATEST).timetuple()[:6]
    buffer = BytesIO()
    with ZipFile(BytesIO(package)) as old, ZipFile(buffer, "w", ZIP_DEFLATED) as new:
        for info in old.infolist():
            entry = ZipInfo(info.filename, stamp)
            entry.compress_type = ZIP_DEFLATED
            new.writestr(entry, old.read(info))
    return buffer.getvalue()
