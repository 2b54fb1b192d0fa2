"""Checks of macro arguments. Messages name the target."""

# Labels of this repository's backends by name. An attribute takes the label, not the name.
_BACKENDS = {
    "cpu": "@rules_executorch//backends/cpu",
    "portable": "@rules_executorch//backends/portable",
    "xnnpack": "@rules_executorch//backends/xnnpack",
}

def require(where, argument, value, what):
    """Fails if a mandatory argument is missing.

    Args:
      where: the call, for the message.
      argument: name of the argument.
      value: value of the argument.
      what: what to pass, for the message.
    """
    if value == None:
        fail("%s: '%s' is missing; name %s" % (where, argument, what))

def check_backend(where, backend):
    """Fails if an attribute has a backend's name instead of its label.

    Args:
      where: the call, for the message.
      backend: the value of an attribute `backend`.
    """
    for word in backend if type(backend) == "list" else [backend]:
        label = _BACKENDS.get(word.lower()) if type(word) == "string" else None
        if label and not native.existing_rule(word):
            fail("%s: 'backend' takes the label of an executorch_backend, got the name '%s'; write \"%s\"" % (where, word, label))
