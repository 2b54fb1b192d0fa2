"""The compiler's command line.

    python -m exir.cli.lower --target //models:net_pte --module models.net --out-pte net.pte …
    python -m exir.cli.lower @flags.txt
    python -m exir.cli.lower --persistent_worker

Build actions run it through `start.py`.

Exit codes: 0 success, 1 user error, 2 internal error.
"""

import sys

from exir.cli.reporting.packages import damage_note
from exir.cli.worker.environment import pin_libraries
from exir.cli.worker.heap import freeze_new_objects
from exir.torch_versions import describe_installed, exit_process, is_unsupported


def main(argv: list[str], has_network: bool = False) -> int:
    """Run one compilation, or a worker.

    Torch is imported after its environment is pinned.

    has_network: whether the model's code has network access. Build actions must not have it.
    """
    if is_unsupported():
        sys.stderr.write(f"error: unsupported torch: {describe_installed()}\n")
        return 1
    pin_libraries()
    try:
        return _run_compiler(argv, has_network)
    except ImportError:
        sys.stderr.write(damage_note())
        raise


def _run_compiler(argv: list[str], has_network: bool) -> int:
    if argv == ["--persistent_worker"]:
        with freeze_new_objects():
            from exir.cli.worker.worker import serve
        serve()
        return 0
    with freeze_new_objects():
        import torch.export._trace  # noqa: F401  (otherwise torch.export imports it on its first call)

        from exir.cli.worker.once import compile_once
    return compile_once(argv, has_network)


if __name__ == "__main__":
    exit_process(main(sys.argv[1:]))
