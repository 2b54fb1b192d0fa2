"""Collect the named data of all delegates of all methods."""

from collections.abc import Iterator, Mapping

from exir._serialize import DataEntry, ExternalData, NamedBlob, NamedDataStore, NamedDataStoreOutput
from exir.delegate import is_delegate_call, lowered_module_of
from exir.emit._external import ExternalFiles
from exir.emit._method import MethodOutput
from exir.error import UserError


def named_data(
    methods: Mapping[str, MethodOutput], default_file: str | None, external: ExternalFiles
) -> list[NamedBlob]:
    """Return the named data that is stored in the program, sorted by key.

    Data for other files is added to `external`. Raises a `UserError` that names both delegates if
    they store different bytes under one key.
    """
    store = NamedDataStore()
    owners: dict[str, str] = {}
    contents: dict[str, bytes | memoryview] = {}
    for owner, output in _delegate_stores(methods):
        for key, entry in _store_entries(output):
            data = output.buffers[entry.buffer_index]
            if contents.setdefault(key, data) != data:
                raise UserError(
                    f"named data '{key}': {owners[key]} stores {len(contents[key])} bytes, but {owner} "
                    f"stores {len(data)} different bytes; derive keys from the content, such as a digest"
                )
            owners.setdefault(key, owner)
        store.merge_named_data_store(output)
    merged = store.get_named_data_store_output()
    for file, entries in [(default_file, merged.pte_data), *merged.external_data.items()]:
        for key in sorted(entries if file is not None else ()):
            blob = ExternalData(key, contents[key], entries[key].tensor_layout, entries[key].alignment)
            external.put(str(file).removesuffix(".ptd"), blob)
    inside = merged.pte_data if default_file is None else {}
    return [NamedBlob(key, contents[key], inside[key].alignment) for key in sorted(inside)]


def _store_entries(output: NamedDataStoreOutput) -> Iterator[tuple[str, DataEntry]]:
    for entries in (output.pte_data, *output.external_data.values()):
        yield from entries.items()


def _delegate_stores(methods: Mapping[str, MethodOutput]) -> Iterator[tuple[str, NamedDataStoreOutput]]:
    """Yield a description of each delegate and its named data."""
    for name, method in methods.items():
        calls = [node for node in method.nodes if is_delegate_call(node)]
        for index, lowered in enumerate(map(lowered_module_of, calls)):
            if lowered.named_data_store_output is not None:
                yield (
                    f"{lowered.backend_id} (method '{name}', delegates[{index}])",
                    lowered.named_data_store_output,
                )
