"""Checks of macro arguments. Messages name the target."""

# Labels of this repository's backends by name. An attribute takes the label, not the name.
_BACKENDS = {
    "cpu": "@rules_executorch//backends/cpu",
    "portable": "@rules_executorch//backends/portable",
    "xnnpack": "@rules_executorch//backends/xnnpack",
}

# Attributes of a test that its helper targets also need.
_PROPAGATED_TEST_ATTRS = ["compatible_with", "exec_compatible_with", "features", "restricted_to", "target_compatible_with"]

def propagated_test_attrs(attrs):
    """Returns the attributes that a test macro passes on to its helper targets.

    Args:
      attrs: dict: attributes of the test.

    Returns:
      dict
    """
    return {name: attrs[name] for name in _PROPAGATED_TEST_ATTRS if name in attrs}

def require(where, argument, value, expected):
    """Fails if a mandatory argument is missing.

    Args:
      where: the call, for the message.
      argument: name of the argument.
      value: value of the argument.
      expected: description of the value to pass, for the message.
    """
    if value == None:
        fail("%s: '%s' is missing; specify %s" % (where, argument, expected))

def check_backend(where, backend):
    """Fails if an attribute has a backend's name instead of its label.

    Args:
      where: the call, for the message.
      backend: the value of an attribute `backend`.
    """
    for value in backend if type(backend) == "list" else [backend]:
        label = _BACKENDS.get(value.lower()) if type(value) == "string" else None
        if label and not native.existing_rule(value):
            fail("%s: 'backend' takes the label of an executorch_backend, got the name '%s'; write \"%s\"" % (where, value, label))
