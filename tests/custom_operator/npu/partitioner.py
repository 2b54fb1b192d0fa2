"""The compiler side: reads files and runs a program of its own, and then leaves all to kernels."""

import subprocess

import npu_units
from torch.export import ExportedProgram

from exir import data_path
from exir.backend.entry import BackendEntry
from exir.backend.partitioner import Partitioner, PartitionResult


class NpuPartitioner(Partitioner):
    def __init__(self) -> None:
        assert data_path("npu/revision.txt").read_text().split() == ["2"]
        units = npu_units.units(data_path("npu/limits.json"))
        said = subprocess.run([data_path("npu/describe.sh"), str(units)], capture_output=True, text=True, check=True)
        assert said.stdout == "npu with 4 units\n"

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        return PartitionResult(exported_program, {})


BACKEND = BackendEntry(id="npu", partitioner=NpuPartitioner)
