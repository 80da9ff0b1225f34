"""Who may do what at the board: roles, paired phones, the director's PIN, permissions."""
