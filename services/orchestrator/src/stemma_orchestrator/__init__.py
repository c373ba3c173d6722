"""Documents, sections, dependency maps and what runs next: a pure core on an event log."""

from stemma_contracts.importing import spare_aiohttp

spare_aiohttp()
