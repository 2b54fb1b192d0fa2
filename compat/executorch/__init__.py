"""Answers to the module paths of the official package `executorch`, with what rules_executorch has.

For export scripts, partitioners and passes that were written for `executorch.exir`: they run with their imports as
they are. `names.toml` says which of our names stands behind each official one; nothing is imported before it is asked
for. The official package must not be installed beside it, as one name cannot mean both.
"""

from executorch._finder import install, refuse_other_package

refuse_other_package(__path__)
install()
