"""Imports all modules of this package, which register the reference semantics of ops."""

from backends.cpu.schema.discovery import modules_of

modules_of("backends.cpu.compiler.ops")
