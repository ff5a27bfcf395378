"""The language server: what `vsac check` and `vsac lint` say, while a file is being written.

`analysis`, `names` and `describe` know nothing of the protocol; `convert` speaks its types; `store` holds what is
open and what was said of it; `server` answers the editor.
"""
