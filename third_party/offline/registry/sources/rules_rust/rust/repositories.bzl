"""Functions of rules_rust for WORKSPACE. With modules, an extension does the same."""

load("//rust/private:system_rustc.bzl", "system_rustc")

def rules_rust_dependencies():
    """Does nothing: the rules have no other dependencies."""

def rust_register_toolchains(**_kwargs):
    """Finds the machine's Rust compiler.

    Args:
      **_kwargs: Attributes of the toolchains, which have no effect.
    """
    system_rustc(name = "system_rustc")
