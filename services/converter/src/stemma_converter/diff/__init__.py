"""The difference of two versions of a text, for tracked changes."""
