"""The board: a web page that shows the state of play, live, and accepts words and corrections.

`server.Board` serves it, `state.state_of` makes its state, `messages.read_message` checks what the page sends, and
`guard.Guard` refuses foreign requests. The page is in `page/`: plain HTML, CSS and JavaScript without external files.
"""
