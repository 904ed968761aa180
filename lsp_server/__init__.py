"""prior-art-lsp: what the team already knows about the thing under the cursor."""

__version__ = "0.2.0"
