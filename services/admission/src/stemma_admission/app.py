"""Composition root of the admission: it has no consumer, and answers a server as one of its users."""

import asyncio
import os
from pathlib import Path

from nats.aio.client import Client
from pydantic import Field
from stemma_messaging import BadSettings, Service, ServiceSettings
from stemma_messaging.outages import SERVER, measure
from stemma_provisioning.admission import Seals, admitting
from stemma_provisioning.permissions import ADMISSION
from stemma_provisioning.providers import Trusted
from stemma_telemetry import bind, get_logger, names


class AdmissionSettings(ServiceSettings):
    """What can be set; see config/settings.toml."""

    folder: Path = Field(default=Path("admitted"), description="files of those who are admitted, one for each tenant")

    def seals(self) -> Seals:
        """The keys that are made of the secret; raises `BadSettings` without one."""
        if self.nats_password is None:
            raise BadSettings(["nats_password: give the secret of the admission in STEMMA_NATS_PASSWORD"])
        return Seals.of(self.nats_password.get_secret_value())

    def trusted(self) -> Trusted | None:
        """The OpenID provider, if there is one; raises `BadSettings` for one that cannot be used."""
        try:
            return Trusted.of(os.environ)
        except ValueError as error:
            raise BadSettings([str(error)]) from None


class AdmissionService(Service[AdmissionSettings]):
    """A service without a broker: the server asks on its system account, where nothing is stored."""

    async def run(self, settings: AdmissionSettings) -> None:
        """Run until cancelled; a server that goes and comes back is answered again."""
        with bind(service=self.name):
            server = settings.nats_url, settings.folder, settings.seals(), settings.tls_options()
            try:
                async with admitting(*server, settings.trusted()) as client:
                    await self._admit(settings, client)
            finally:
                get_logger().info(names.Log.SERVICE_STOPPED)

    async def _admit(self, settings: AdmissionSettings, client: Client) -> None:
        async def missing() -> list[str]:
            measure(away=not client.is_connected)
            return [] if client.is_connected else [SERVER]

        async with self.ready(settings, missing):
            while True:
                await missing()
                await asyncio.sleep(settings.observe_every_s)


def build_app(_settings: AdmissionSettings) -> None:
    """There is no application of FastStream: what a server asks is a request of the system account."""


service = AdmissionService(ADMISSION, AdmissionSettings, build_app)


def main() -> None:
    """Run the service until it is told to stop."""
    service.main()
