"""An evening at the table: the lobby, one game after the other, results, good night.

`host.Host` runs the evening: the lobby (`waiting.Waiting`) and games (`playing.Playing`), one after the other. `states`
has the states and events, `lobby` the choices in the lobby, and `menus` the menus of buttons and encoders.
"""
