"""The language server: gives the findings of `vsac check` and `vsac lint` while a file is being written.

`analysis`, `names` and `describe` do not know the protocol; `convert` uses its types; `store` holds the open documents
and their findings; `server` answers the editor.
"""
