"""What holds for every unit test."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_masc_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stores' own variables are those that a test sets, not those of whoever runs it."""
    for name in ("MASC_BASE_PATH", "MASC_CONFIG_DIR", "MASC_CLUSTER_NAME"):
        monkeypatch.delenv(name, raising=False)
