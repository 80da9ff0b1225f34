"""The care of a table: updates, backups on a USB stick and back, faults of the machine while it runs.

updates.py     what the updater of the Debian package has to say, and what is asked of it
sticks.py      USB sticks and the backups on them
restoring.py   a backup that waits until the table is opened again
watching.py    faults of the machine while the table runs
web.py         the page
"""
