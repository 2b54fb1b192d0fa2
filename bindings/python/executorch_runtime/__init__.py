"""Open, inspect, load, run and trace programs with the C runtime.

program = Program("net.pte")
forward = program.method("forward")
(scores,) = forward(image)        # torch or NumPy tensors
"""

from executorch_runtime.errors import ExecutorchError
from executorch_runtime.method import Clock, Event, Memory, Method
from executorch_runtime.program import Program
from executorch_runtime.values import Signature, ValueInfo

__all__ = ["Clock", "Event", "ExecutorchError", "Memory", "Method", "Program", "Signature", "ValueInfo"]
