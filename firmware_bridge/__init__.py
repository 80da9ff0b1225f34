"""The serial link to a microcontroller with RFID readers, buttons and lights."""
