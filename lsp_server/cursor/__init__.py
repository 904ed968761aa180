"""What stands under the cursor: an error code, a file name, an id, a symbol, or nothing."""

from lsp_server.cursor.find import WINDOW_CHARACTERS, find_target
from lsp_server.cursor.symbols import is_structured
from lsp_server.cursor.target import Kind, Target

__all__ = ["WINDOW_CHARACTERS", "Kind", "Target", "find_target", "is_structured"]
