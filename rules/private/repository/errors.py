"""The one error that the bootstrap shows to its user."""


class BootstrapError(Exception):
    """Something the machine lacks or refuses; the message says what and what to do."""

    EXIT_CODE = 1
