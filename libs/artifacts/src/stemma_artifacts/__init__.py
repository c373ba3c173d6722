"""Content-addressed artifacts and uploads on JetStream."""

from stemma_contracts.importing import spare_aiohttp

spare_aiohttp()
