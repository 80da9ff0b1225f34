"""What is wired to the Raspberry Pi: buttons, lights, small displays, voice."""
