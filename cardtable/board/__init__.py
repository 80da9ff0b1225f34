"""The board: a web page that shows the state of play, live, and takes words and corrections.

`server.Board` serves it, `state.state_of` says what it shows, `messages.read_message` what the page may send,
`guard.Guard` who may ask. The page itself is in `page/`: plain HTML, CSS and JavaScript, nothing from outside.
"""
