"""The first start: a few questions, one after the other, from a machine with a camera to the first game.

question.py   what a step shows: a text, findings, choices, something to type
step.py       a step, and what steps need of the table and the machine
machine.py    the order of the steps, and what an answer, "skip" and "back" do: no browser, no terminal
progress.py   which steps are done, stored, so that a power cut loses nothing
system.py     NetworkManager and timedatectl
steps/        one file for each step
watching.py   the cameras and readers, for a terminal without a running table
at_the_board.py, web.py   the questions on the board's page
terminal.py   the questions in a terminal: `cardtable setup`
"""
