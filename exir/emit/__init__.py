"""From planned graphs to the program that a `.pte` holds."""

from exir.emit._emit_program import EmitterOutput, emit_program
from exir.emit._method import MethodOutput

__all__ = ["EmitterOutput", "MethodOutput", "emit_program"]
