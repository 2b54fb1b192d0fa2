"""Exported programs of any stage to and from files: ATen, edge dialect, and lowered with planned memory."""

from exir.serde.serialize import SerializedArtifact, deserialize, load, save, serialize

__all__ = ["SerializedArtifact", "deserialize", "load", "save", "serialize"]
