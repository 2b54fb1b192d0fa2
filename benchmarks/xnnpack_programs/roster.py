"""The compared programs: models and their lowering by the official exporter."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.latency.catalog import LOWERED_ONLY, MODELS, Model
from benchmarks.latency.sides.official import Xnnpack, Xnnpack4Bit, XnnpackDynamic, XnnpackInt8


@dataclass(frozen=True)
class Lowered:
    """A model in one of the official side's variants, such as `mobilenet_v2_int8`."""

    model: Model
    side: Xnnpack
    suffix: str

    @property
    def name(self) -> str:
        return self.model.name + self.suffix


_IMAGE_MODELS = ("mobilenet_v2", "classify", "mobilenet_v3_small", "resnet18")
_ALL = (
    *(
        Lowered(MODELS[name], side, suffix)
        for name in _IMAGE_MODELS
        for side, suffix in ((Xnnpack(), ""), (XnnpackInt8(), "_int8"))
    ),
    Lowered(MODELS["minilm"], Xnnpack(), ""),
    Lowered(MODELS["minilm"], XnnpackDynamic(), "_dynamic_int8"),
    *(Lowered(model, Xnnpack4Bit(), "_8da4w") for model in LOWERED_ONLY.values()),
)
PROGRAMS = {variant.name: variant for variant in _ALL}
