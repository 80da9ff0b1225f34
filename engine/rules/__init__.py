"""The parts that games are made of: state, questions and offers, hands, tricks, counting, cribs, the match."""
