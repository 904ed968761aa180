"""One module per LSP method: a thin shell that knows the protocol, around functions that know the meaning."""
