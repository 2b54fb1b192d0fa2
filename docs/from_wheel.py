"""Use a wheel to compile, run and trace a model.

./bazelw run //tools:wheel -- /tmp/wheels && pip install /tmp/wheels/rules_executorch-*.whl && python docs/from_wheel.py
"""

import torch

from backends.cpu.compiler.partitioner import CpuPartitioner
from executorch_runtime import Program
from executorch_runtime.cli.run import main as executorch_run
from exir import to_edge_transform_and_lower

net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 4)).eval()
image = torch.randn(1, 3, 8, 8)
exported = torch.export.export(net, (image,))
to_edge_transform_and_lower(exported, partitioner=[CpuPartitioner()]).to_executorch().save("net.pte")

(scores,) = Program("net.pte").method("forward")(image)
torch.testing.assert_close(scores, net(image), atol=1e-4, rtol=1e-4)
executorch_run(["net.pte", "--repeat", "100", "--trace", "trace.json"])  # open it in https://ui.perfetto.dev
