"""From planned graphs to the program that a `.pte` holds."""

from exir.emit._emit_program import EmitterOutput, emit_program
from exir.emit._method import EmitOptions, MethodOutput

__all__ = ["EmitOptions", "EmitterOutput", "MethodOutput", "emit_program"]
