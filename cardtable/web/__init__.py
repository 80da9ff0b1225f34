"""The board: a web page that shows the state of play, live, and accepts words and corrections.

`server.Board` serves it, `state.state_of` builds its state, and `connections.Guard` refuses foreign requests. The page
is in `page/`: plain HTML, CSS and JavaScript without external files.
"""
