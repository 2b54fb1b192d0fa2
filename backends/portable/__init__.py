"""The default backend.

It delegates nothing: every operator runs on a portable kernel.
"""

from exir.backend.entry import BackendEntry

BACKEND = BackendEntry(id="portable")
