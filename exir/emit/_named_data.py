"""The named data of a program: that of all delegates of all methods."""

from collections.abc import Iterator, Mapping

from exir._serialize import NamedBlob, NamedDataStore, NamedDataStoreOutput
from exir.delegate import is_delegate_call, lowered_module_of
from exir.emit._method import MethodOutput
from exir.error import UserError


def named_data(methods: Mapping[str, MethodOutput]) -> list[NamedBlob]:
    """Every key once, sorted. A `UserError` names both delegates that give one key other bytes."""
    store = NamedDataStore()
    owners: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    for owner, output in _stores(methods):
        for key, entry in output.pte_data.items():
            data = output.buffers[entry.buffer_index]
            if contents.setdefault(key, data) != data:
                raise UserError(
                    f"named data '{key}': {owners[key]} gives it {len(contents[key])} bytes, {owner} {len(data)} others;"
                    " a key that delegates share must stand for one content, such as a digest does"
                )
            owners.setdefault(key, owner)
        store.merge_named_data_store(output)
    entries = store.get_named_data_store_output().pte_data
    return [NamedBlob(key, contents[key], entries[key].alignment) for key in sorted(entries)]


def _stores(methods: Mapping[str, MethodOutput]) -> Iterator[tuple[str, NamedDataStoreOutput]]:
    """What each delegate brings, and what to call the delegate."""
    for name, method in methods.items():
        calls = [node for node in method.nodes if is_delegate_call(node)]
        for index, lowered in enumerate(map(lowered_module_of, calls)):
            if lowered.named_data_store_output is not None:
                yield (
                    f"{lowered.backend_id} (method '{name}', delegates[{index}])",
                    lowered.named_data_store_output,
                )
