"""What a program is, as one self-contained page."""
