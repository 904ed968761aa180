"""`python -m lsp_server` is `prior-art`."""

import sys

from lsp_server.cli import main

if __name__ == "__main__":
    sys.exit(main())
