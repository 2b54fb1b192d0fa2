"""executorch_config: compiler options with a label, which others extend."""

load("//rules/private:config_options.bzl", "check_config")
load("//rules/private:config_rule.bzl", executorch_config_rule = "executorch_config")

def executorch_config(name, options = None, extends = [], **kwargs):
    """Compiler options (docs/config.md) that models share: `executorch_model(config = ":<name>")`.

    Args:
      name: name of the target.
      options: dict of sections, or label of a TOML file.
      extends: `executorch_config` targets or TOML files that the options are laid over: one, or a list, of which later ones go over
        earlier ones. Sections are joined key by key, and a value is replaced.
      **kwargs: what every rule has.
    """
    if type(options) == "dict":
        check_config("executorch_config(name = '%s')" % name, options)
    executorch_config_rule(
        name = name,
        extends = extends if type(extends) == "list" else [extends] if extends else [],
        file = None if type(options) == "dict" else options,
        json = json.encode(options) if type(options) == "dict" else "",
        **kwargs
    )
