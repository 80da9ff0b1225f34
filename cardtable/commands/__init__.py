"""The commands, one module each: `cardtable replay` is `cardtable/commands/replay.py`.

A command has `SUMMARY` (one line), `EXAMPLE`, `configure(parser)` and `run(args) -> exit status`. Only the requested
command is imported, so that a small one does not wait for OpenCV or the web server. `SUMMARY` is a plain text in the
module's source: the overview reads it there.
"""
