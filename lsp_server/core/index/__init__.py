"""The corpus in memory: what was read, kept fresh, and laid out so that it can be scanned."""
