"""The link to RFID readers on a microcontroller."""
