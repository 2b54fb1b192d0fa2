"""Labels as people write them."""

def display_label(label):
    """Returns `//package:name`, after `@repository` for another repository; without the `@@` of canonical forms."""
    repository = label.workspace_name
    return ("@" + repository if repository else "") + "//%s:%s" % (label.package, label.name)
