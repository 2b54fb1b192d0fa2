"""The runtime from Python: programs are opened, asked what they hold, loaded, run and traced.

program = Program("net.pte")
forward = program.method("forward")
(scores,) = forward(picture)        # torch or numpy tensors
"""

from executorch_runtime.clock import Clock
from executorch_runtime.errors import ExecutorchError
from executorch_runtime.method import Event, Memory, Method
from executorch_runtime.program import Program
from executorch_runtime.values import Signature, ValueInfo

__all__ = ["Clock", "Event", "ExecutorchError", "Memory", "Method", "Program", "Signature", "ValueInfo"]
