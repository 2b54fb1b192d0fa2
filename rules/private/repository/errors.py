"""The error class of the bootstrap scripts."""


class BootstrapError(Exception):
    """The machine lacks or refuses something.

    The message states the problem and a remedy.
    """

    EXIT_CODE = 1
