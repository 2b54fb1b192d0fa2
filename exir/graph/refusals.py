"""Details of rejected calls for error messages."""

import torch
from torch.fx import Node


def called_on(node: Node) -> str:
    """Return `, called on float32 and int64,` with the dtypes of the call's tensors.

    The result is "" if the call has no tensors.
    """
    values = [each.meta.get("val") for each in node.all_input_nodes]
    dtypes = [
        str(value.dtype).removeprefix("torch.") for value in values if isinstance(value, torch.Tensor)
    ]
    return f", called on {' and '.join(dict.fromkeys(dtypes))}," if dtypes else ""
