"""C names of a target."""

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTERS_AND_DIGITS = _LETTERS + "0123456789"

def c_prefix(package, name):
    """Finds what the C names of a model begin with: package and name as one word, such as `models_vision_mobilenet`.

    A run of what is no letter or digit becomes `_`; a word that begins with a digit gets `model_` before it.

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
