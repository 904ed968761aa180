"""Sign job manifests, and rotate the key that signs them."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

MAX_SKEW_SECONDS = 90.0
"""The same figure as in config/signing.toml; both change together or not at all."""

GRACE_SECONDS = 24 * 60 * 60


class SigningError(Exception):
    """A refusal with a code that the on-call person can look up."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code


@dataclass(frozen=True)
class SigningKey:
    """A secret and the moment from which its signatures count."""

    key_id: str
    secret: bytes
    not_before: float


@dataclass
class KeyStore:
    """The current key first, then the ones that are still accepted."""

    keys: list[SigningKey] = field(default_factory=list)

    def accepted(self, now: float) -> list[SigningKey]:
        """Return the current key and every older one within its day of grace."""
        current, *older = self.keys
        return [current, *(key for key in older if now - current.not_before < GRACE_SECONDS)]


def rotate_signing_key(store: KeyStore, now: float, clock_offset: Callable[[], float]) -> SigningKey:
    """Put a new key in front of the store (WP-ST-12)."""
    skew = abs(clock_offset())
    if skew > MAX_SKEW_SECONDS:
        raise SigningError("E4217", f"the signing clock is {skew:.0f} s off")
    key = SigningKey(secrets.token_hex(8), secrets.token_bytes(32), not_before=now)
    store.keys.insert(0, key)
    return key


def verify_manifest(store: KeyStore, manifest: bytes, signature: str, now: float) -> SigningKey:
    """Return the key that signed the manifest."""
    for key in store.accepted(now):
        if hmac.compare_digest(hmac.new(key.secret, manifest, hashlib.sha256).hexdigest(), signature):
            return key
    raise SigningError("E4218", "no accepted key made this signature")
