"""What is printed in the terminal, and what is typed there."""
