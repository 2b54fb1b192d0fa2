"""The compiler's entry point for build actions.

    python exir/cli/start.py --target //models:net_pte --module models.net --out-pte net.pte …
    python exir/cli/start.py -m exir.cli.describe --target //models:net --pte net.pte …

From this repository, models can import only `exir`. The folder that contains `exir` is not on the
path, because its other packages (`kernels`, `models`, `tests`) could shadow user packages of the
same names.
"""

import importlib
import importlib.util
import os
import sys


def provide_exir() -> None:
    """Make `exir` importable from the folder above this file, whatever is on the path."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    spec = importlib.util.spec_from_file_location("exir", os.path.join(folder, "__init__.py"))
    assert spec is not None and spec.loader is not None, "the file of a module always has them"
    module = importlib.util.module_from_spec(spec)
    sys.modules["exir"] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    provide_exir()
    name, argv = (
        (sys.argv[2], sys.argv[3:]) if sys.argv[1:2] == ["-m"] else ("exir.cli.lower", sys.argv[1:])
    )
    exit_code = importlib.import_module(name).main(argv)
    importlib.import_module("exir.torch_versions").exit_process(exit_code)
