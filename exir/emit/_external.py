"""Constants that are stored in separate files."""

from dataclasses import dataclass, field

from exir._serialize import ExternalData, TensorLayout, content_key
from exir.tensor import TensorSpec, scalar_type


@dataclass
class ExternalFiles:
    """The entries of each external file, by file name and key.

    by_content: derive keys from the bytes, so that programs with equal weights have equal files.
        Otherwise, keys are qualified names.
    """

    by_content: bool = False
    files: dict[str, dict[str, ExternalData]] = field(default_factory=dict)

    def add(self, file: str, name: str, method: str, spec: TensorSpec, data: memoryview) -> str:
        """Add a constant and return its key.

        If a different constant already has the key, the method's name becomes a prefix of the new
        key.
        """
        layout = TensorLayout(scalar_type(spec.dtype), list(spec.shape), list(spec.dim_order))
        key = content_key(data, layout) if self.by_content else name
        known = self._find_file(key)
        if known is not None and not self._is_same(known, data, layout):
            return self.add(file, f"{method}.{name}", method, spec, data)
        if known is None:
            self.put(file, ExternalData(key, data, layout))
        return key

    def put(self, file: str, entry: ExternalData) -> None:
        """Add an entry to a file. Its key must be new in all files."""
        self.files.setdefault(file, {})[entry.key] = entry

    def _find_file(self, key: str) -> ExternalData | None:
        return next((entries[key] for entries in self.files.values() if key in entries), None)

    def _is_same(self, known: ExternalData, data: memoryview, layout: TensorLayout) -> bool:
        return known.layout == layout and (self.by_content or known.data == data)
