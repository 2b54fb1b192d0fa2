"""Running a Python module of the toolchain in an action."""

# Everything that could make Python's or torch's behaviour depend on the machine is fixed here.
_ENV = {
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "PATH": "/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    # The execution root is not on the path: files of the user's workspace must not shadow the standard library.
    "PYTHONSAFEPATH": "1",
    "TZ": "UTC",
}

# Told by feature: Debian's builds do not know their version.
_IS_BAZEL_4 = not hasattr(native, "package_relative_label")

def _tools(toolchain):
    """What restarts a worker when it changes: interpreter and compiler sources (see compiler_sources).

    The packages' folder is an input and not among them: Bazel cannot digest a folder there unless a start-up flag tells it to.
    The environment's identity stands for it.
    """
    files = [toolchain.python, toolchain.identity] + toolchain.compiler.to_list()
    return files + ([toolchain.compiler_program] if _IS_BAZEL_4 else [])

def _env(toolchain):
    """Paths are relative to the execution root."""
    return dict(_ENV, PYTHONPATH = toolchain.compiler_root + ":" + toolchain.site.path)

def run_python_module(ctx, toolchain, module, arguments, inputs, outputs, mnemonic, message, packages = True, params_file = True, requirements = {}):
    """Registers an action that runs a module: `python -m module @params`, or with plain arguments.

    Args:
      ctx: the rule's context.
      toolchain: the executorch toolchain.
      module: dotted name of the module.
      arguments: Args.
      inputs: depset[File].
      outputs: list[File].
      mnemonic: CamelCase name of the action.
      message: progress message.
      packages: whether the module imports anything but the standard library and the compiler's own.
      params_file: whether the arguments are passed in a file, one a line; workers need that.
      requirements: execution requirements.
    """
    if params_file:
        arguments.use_param_file("@%s", use_always = True)
        arguments.set_param_file_format("multiline")
    ctx.actions.run(
        executable = toolchain.python,
        arguments = ["-m", module, arguments],
        inputs = depset([toolchain.site] if packages else [], transitive = [inputs]),
        outputs = outputs,
        tools = _tools(toolchain),
        env = _env(toolchain),
        mnemonic = mnemonic,
        progress_message = message,
        execution_requirements = requirements,
    )
