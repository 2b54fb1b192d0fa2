"""The instructions of a plan, and the tables that they index."""

from torch.fx import Node

from exir import schema
from exir.debug.source import frames_of


class Instructions:
    """Instructions in order, each with its graph node.

    Instructions refer to operators and delegates by index. Equal operators share an entry.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.operators: list[schema.Operator] = []
        self.delegates: list[schema.BackendDelegate] = []
        self._instructions: list[schema.Instruction] = []
        self._operator_index: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._instructions)

    def add(self, node: Node, arguments: schema.InstructionArguments) -> None:
        self._instructions.append(schema.Instruction(arguments))
        self.nodes.append(node)

    def call(self, node: Node, operator: schema.Operator, args: list[int]) -> None:
        """Append a call of `operator`."""
        index = self._operator_index.setdefault(operator.full_name, len(self.operators))
        if index == len(self.operators):
            self.operators.append(operator)
        self.add(node, schema.KernelCall(index, args))

    def call_delegate(self, node: Node, delegate: schema.BackendDelegate, args: list[int]) -> None:
        """Append a call of a delegate. Each call gets its own delegate entry."""
        self.delegates.append(delegate)
        self.add(node, schema.DelegateCall(len(self.delegates) - 1, args))

    def chain(self, with_stacktrace: bool) -> schema.Chain:
        """Return all instructions, with the source lines of each if requested."""
        frames = [_stack_frames(node) for node in self.nodes] if with_stacktrace else None
        return schema.Chain(instructions=self._instructions, stacktrace=frames)


def _stack_frames(node: Node) -> schema.FrameList:
    return schema.FrameList([schema.Frame(f.file, f.line, f.function, f.code) for f in frames_of(node)])
