"""Marked cards, the mat and corner marks: as pictures, and as PDF files at true size."""
