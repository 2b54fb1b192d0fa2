"""Constants that lie in files beside the program."""

from dataclasses import dataclass, field

from exir._serialize import ExternalData, TensorLayout, content_key
from exir.tensor import TensorSpec, scalar_type


@dataclass
class ExternalFiles:
    """What each file holds, by name of the file and key.

    by_content: keys say what the bytes are, so that programs with equal weights have equal
        files; else they are qualified names.
    """

    by_content: bool = False
    files: dict[str, dict[str, ExternalData]] = field(default_factory=dict)

    def add(self, file: str, name: str, method: str, spec: TensorSpec, data: memoryview) -> str:
        """The key of a constant; of two contents under one name, the later has its method's name before."""
        layout = TensorLayout(scalar_type(spec.dtype), list(spec.shape), list(spec.dim_order))
        key = content_key(data, layout) if self.by_content else name
        known = self._find(key)
        if known is not None and not self._is_same(known, data, layout):
            return self.add(file, f"{method}.{name}", method, spec, data)
        if known is None:
            self.put(file, ExternalData(key, data, layout))
        return key

    def put(self, file: str, entry: ExternalData) -> None:
        """Put an entry that no file has yet into one."""
        self.files.setdefault(file, {})[entry.key] = entry

    def _find(self, key: str) -> ExternalData | None:
        return next((entries[key] for entries in self.files.values() if key in entries), None)

    def _is_same(self, known: ExternalData, data: memoryview, layout: TensorLayout) -> bool:
        return known.layout == layout and (self.by_content or known.data == data)
