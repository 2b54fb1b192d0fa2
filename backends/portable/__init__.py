"""The default backend: nothing is delegated, every operator runs on a portable kernel."""

from exir.backend.entry import BackendEntry

BACKEND = BackendEntry(id="portable")
