"""The kinds of our code actions: one of our own and those below it, so that no fix-all chooses them."""

OPEN_KIND = "priorArt.open"
CITE_KIND = "priorArt.cite"
INSERT_KIND = "priorArt.insert"
KINDS = ("priorArt", OPEN_KIND, CITE_KIND, INSERT_KIND)
