"""The compiler's command line.

    python -m exir.cli.lower --target //models:net_pte --module models.net --out-pte net.pte …
    python -m exir.cli.lower @flags.txt
    python -m exir.cli.lower --persistent_worker

Build actions run it by `start.py`.

Exit codes: 0 done, 1 the user's error, 2 an internal error.
"""

import sys

from exir.cli.reporting.packages import damage_note
from exir.cli.worker.environment import pin_libraries
from exir.cli.worker.heap import kept


def main(argv: list[str], has_network: bool = False) -> int:
    """Run once, or as a worker. Torch is imported only when its environment is pinned.

    has_network: whether the model's code can reach other machines, which a build action must not.
    """
    pin_libraries()
    try:
        return _run(argv, has_network)
    except ImportError:
        sys.stderr.write(damage_note())
        raise


def _run(argv: list[str], has_network: bool) -> int:
    if argv == ["--persistent_worker"]:
        with kept():
            from exir.cli.worker.worker import serve
        serve()
        return 0
    with kept():
        import torch.export._trace  # noqa: F401  (torch.export imports it when it is called first)

        from exir.cli.worker.once import compile_once
    return compile_once(argv, has_network)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
