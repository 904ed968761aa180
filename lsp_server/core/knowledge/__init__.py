"""Knowledge: published items of Markdown folders, searched by a query or read by their address."""
