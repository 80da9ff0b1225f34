"""An evening at the table: lobby, games, results, good night. `cardtable run` runs it.

`host.Host` owns the journal, the board and the hardware, and runs one `cardtable.play.session.Session` after another.
`machine` has the states and events, `lobby` what is chosen, `choosing` what buttons and action cards can choose.
"""
