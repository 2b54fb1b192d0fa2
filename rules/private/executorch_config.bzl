"""executorch_config: compiler options with a label, which other configs can extend."""

load("//rules/private:config_options.bzl", "check_config")
load("//rules/private:config_rule.bzl", executorch_config_rule = "executorch_config")

def executorch_config(name, options = None, extends = [], **kwargs):
    """Compiler options (docs/reference/config.md) that models share: `executorch_model(config = ":<name>")`.

    Args:
      name: Name of the target.
      options: Dict of sections, or label of a TOML file.
      extends: `executorch_config` target or TOML file that these options override, or a list of them. Later ones
        override earlier ones.
      **kwargs: Attributes that every rule has.
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
