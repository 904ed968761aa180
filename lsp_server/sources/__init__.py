"""One module per store format. Each reads its own files, answers for its own failures, and writes nothing."""
