"""executorch_report: one page about all models that targets depend on."""

load("//rules/private:arguments.bzl", "require")
load("//rules/private:model_pages.bzl", executorch_report_rule = "executorch_report")

def executorch_report(name, targets = None, **kwargs):
    """One page that compares all models that targets depend on; see the rule.

    Args:
      name: Name of the target; the page is `<package>/<name>.models.html`.
      targets: Models, or targets that depend on models: libraries, programs, tests.
      **kwargs: Attributes that every rule has.
    """
    for argument in ["model", "models"]:
        if argument in kwargs:
            fail("executorch_report(name = '%s'): unknown attribute '%s'; pass models, or targets that depend on models, to 'targets'" % (name, argument))
    require("executorch_report(name = '%s')" % name, "targets", targets, "a list of models, or of targets that depend on models")
    executorch_report_rule(name = name, targets = targets, **kwargs)
