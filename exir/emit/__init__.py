"""Emission: from memory-planned graphs to the program of a `.pte` file."""

from exir.emit._emit_program import EmitterOutput, emit_program
from exir.emit._method import EmitOptions, MethodOutput

__all__ = ["EmitOptions", "EmitterOutput", "MethodOutput", "emit_program"]
