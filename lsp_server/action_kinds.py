"""The kinds of our code actions: one of our own and those below it, so that no fix-all chooses them.

`priorArt.copy` and `priorArt.showAll` are also the commands that a client names in its experimental capabilities
(`priorArt.commands`): they run in the client, which alone has a clipboard and windows.
"""

OPEN_KIND = "priorArt.open"
CITE_KIND = "priorArt.cite"
INSERT_KIND = "priorArt.insert"
COPY_KIND = "priorArt.copy"
SHOW_ALL_KIND = "priorArt.showAll"
KINDS = ("priorArt", OPEN_KIND, CITE_KIND, INSERT_KIND, COPY_KIND, SHOW_ALL_KIND)
CLIENT_COMMANDS = (COPY_KIND, SHOW_ALL_KIND)
"""`priorArt.copy` takes `{"text": …}`, `priorArt.showAll` takes `{"query": …, "uri": …}`."""
