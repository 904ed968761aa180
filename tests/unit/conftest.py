"""What holds for every unit test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def no_masc_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stores' own variables are those that a test sets, not those of whoever runs it."""
    for name in ("MASC_BASE_PATH", "MASC_CONFIG_DIR", "MASC_CLUSTER_NAME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["raises", "leaves a tilde"])
def homeless(request: pytest.FixtureRequest) -> Callable[..., Path]:
    """What platformdirs does for who has no home folder: now, and in earlier versions."""

    def folder(*_: object, **__: object) -> Path:
        if request.param == "raises":
            raise RuntimeError("could not determine the home directory")
        return Path("~/.folder")

    return folder
