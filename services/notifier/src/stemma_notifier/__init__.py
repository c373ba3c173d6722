"""Tells people and programs what waits, ended, failed or became stale."""
