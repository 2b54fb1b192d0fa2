"""What a message says of a call that is refused, besides the operator and its source line."""

import torch
from torch.fx import Node


def called_on(node: Node) -> str:
    """`, called on float32 and int64,`: the dtypes of the call's tensors; "" where it has none."""
    values = [each.meta.get("val") for each in node.all_input_nodes]
    dtypes = [
        str(value.dtype).removeprefix("torch.") for value in values if isinstance(value, torch.Tensor)
    ]
    return f", called on {' and '.join(dict.fromkeys(dtypes))}," if dtypes else ""
