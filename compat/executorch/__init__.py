"""The official package's modules (`executorch.exir`), mapped to this compiler.

Export scripts, partitioners and passes written for ExecuTorch run without changed imports. `names.toml` maps
official names to names of this compiler. Modules are imported when a name is first used. The official package
must not be on the path as well, because both have the same name.
"""

from executorch._finder import install, reject_other_package

reject_other_package(__path__)
install()
