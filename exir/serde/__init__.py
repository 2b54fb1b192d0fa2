"""Serializes exported programs of any stage: ATen, edge dialect, or lowered."""

from exir.serde.serialize import SerializedArtifact, deserialize, load, save, serialize

__all__ = ["SerializedArtifact", "deserialize", "load", "save", "serialize"]
