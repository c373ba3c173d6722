"""What becomes of an input file, by its media type: it is read, it is shown, or it goes along as an attachment."""

MEDIA_TYPE_PATTERN = r"^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*$"
READ = frozenset({"text/markdown", "text/plain", "text/csv", "application/json"})
SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def is_attachment(media_type: str) -> bool:
    """Whether a file of this type belongs to a document without being read by a writer or shown in a section."""
    return media_type not in READ | SHOWN
