"""Running a Python module of the toolchain in an action."""

# Everything that could make Python's or torch's behaviour depend on the machine is fixed here.
_ENV = {
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "PATH": "/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    "TZ": "UTC",
}

def python_tools(toolchain):
    """Returns the tools of an action that runs a module: interpreter, packages, compiler sources."""
    return depset([toolchain.python, toolchain.site, toolchain.identity], transitive = [toolchain.compiler])

def python_env(toolchain):
    """Returns the environment of an action that runs a module. Paths are relative to the execution root."""
    return dict(_ENV, PYTHONPATH = toolchain.compiler_root + ":" + toolchain.site.path)

def run_python_module(ctx, toolchain, module, arguments, inputs, outputs, mnemonic, message, requirements = {}, tools = depset()):
    """Registers an action that runs `python -m module @params`.

    Args:
      ctx: the rule's context.
      toolchain: the executorch toolchain.
      module: dotted name of the module.
      arguments: Args; always passed in a file, one argument a line.
      inputs: depset[File].
      outputs: list[File].
      mnemonic: CamelCase name of the action.
      message: progress message.
      requirements: execution requirements.
      tools: depset[File]: further files whose change must restart a worker.
    """
    arguments.use_param_file("@%s", use_always = True)
    arguments.set_param_file_format("multiline")
    ctx.actions.run(
        executable = toolchain.python,
        arguments = ["-m", module, arguments],
        inputs = inputs,
        outputs = outputs,
        tools = depset(transitive = [python_tools(toolchain), tools]),
        env = python_env(toolchain),
        mnemonic = mnemonic,
        progress_message = message,
        execution_requirements = requirements,
    )
