"""Tells people and programs what waits, ended, failed or became stale."""

from stemma_contracts.importing import spare_aiohttp

spare_aiohttp()
