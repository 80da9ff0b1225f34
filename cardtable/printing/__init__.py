"""What a table needs on paper: marked cards, the mat, corner marks; as pictures and as PDF at true size."""
