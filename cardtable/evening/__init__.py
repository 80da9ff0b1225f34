"""An evening at the table: the lobby, one game after the other, results, good night.

`host.Host` owns the journal, the board and the hardware, and runs one `playing.Session` after another. `states` has the
states and events, `lobby` what is chosen, and `menus` what buttons and action cards can choose.
"""
