"""What games are made of: questions and offers, hands, tricks, cribs, the match."""
