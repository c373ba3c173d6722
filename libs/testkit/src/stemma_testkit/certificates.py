"""Certificates for the servers of tests: an authority, and what it signed."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = timedelta(days=1)
SIGNING = x509.KeyUsage(
    digital_signature=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)
"""What an authority must say since Python 3.13, which also wants to know by which key a certificate was signed."""


@dataclass(frozen=True)
class Certified:
    certificate: Path
    key: Path


class Authority:
    """One that nobody else trusts, with its own certificate in ``ca``."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        own = self._begun(self._name, self._key).add_extension(x509.BasicConstraints(True, None), critical=True)
        own = own.add_extension(SIGNING, critical=True)
        self.ca = folder / f"{name}.pem"
        self.ca.write_bytes(self._signed(own))

    def certify(self, name: str) -> Certified:
        key = ec.generate_private_key(ec.SECP256R1())
        uses = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
        here = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
        begun = self._begun(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key)
        files = Certified(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        files.certificate.write_bytes(self._signed(begun.add_extension(uses, False).add_extension(here, False)))
        form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        files.key.write_bytes(key.private_bytes(*form))
        return files

    def _begun(self, name: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        begun = x509.CertificateBuilder().subject_name(name).issuer_name(self._name).public_key(key.public_key())
        numbered = begun.serial_number(x509.random_serial_number())
        dated = numbered.not_valid_before(now - DAY).not_valid_after(now + DAY)
        own, issuer = key.public_key(), self._key.public_key()
        named = dated.add_extension(x509.SubjectKeyIdentifier.from_public_key(own), critical=False)
        return named.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), critical=False)

    def _signed(self, certificate: x509.CertificateBuilder) -> bytes:
        return certificate.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
