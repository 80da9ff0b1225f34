"""The serial link to a microcontroller with RFID readers, buttons and lights."""

import logging

logging.getLogger(__name__).addHandler(logging.NullHandler())
