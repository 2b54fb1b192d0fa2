"""C names of targets."""

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTERS_AND_DIGITS = _LETTERS + "0123456789"

def c_prefix(package, name):
    """Returns the prefix of a target's C names, such as `models_vision_mobilenet`.

    Each run of characters other than letters and digits becomes `_`. A prefix that would start with
    a digit starts with `model_`.

    Args:
      package: package of the target.
      name: name of the target.

    Returns:
      string: a C identifier.
    """
    characters = (package + "/" + name).elems()
    spaced = "".join([c if c in _LETTERS_AND_DIGITS else " " for c in characters])
    prefix = "_".join([word for word in spaced.split(" ") if word])
    return prefix if prefix[:1] in _LETTERS and prefix else "model_" + prefix
