"""From planned graphs to the program that a `.pte` holds."""

from exir.emit._emit_program import EmitterOutput, emit_program

__all__ = ["EmitterOutput", "emit_program"]
