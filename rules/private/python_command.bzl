"""Actions that run a Python module of the toolchain."""

load("//rules/private:bazel_features.bzl", "RESTARTS_WORKERS_FOR_TOOLS", "resource_argument", "toolchain_argument")
load("//rules/private:import_roots.bzl", "import_roots")

# Fixed, so that the behavior of Python and torch does not depend on the machine.
_ENV = {
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "PATH": "/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    # The execution root must not be on the path: files of the user's workspace could shadow the
    # standard library.
    "PYTHONSAFEPATH": "1",
    "TZ": "UTC",
}

def use_params_file(arguments):
    """Passes `arguments` in a params file, which becomes the only argument.

    Args:
      arguments: Args.
    """
    arguments.use_param_file("@%s", use_always = True)
    arguments.set_param_file_format("multiline")

def _run_python(ctx, toolchain, sources, pythonpath, arguments, inputs, mnemonic, progress_message, tools = [], **kwargs):
    """Registers an action.

    The interpreter and the sources are tools, so a change restarts workers (see compiler_sources).
    The locked packages and the standard library are inputs but not tools. Instead, the
    environment's identity file, which changes with them, is a tool.
    """
    ctx.actions.run(
        executable = toolchain.python,
        inputs = depset(toolchain.library, transitive = [inputs]),
        arguments = arguments,
        tools = depset(
            [toolchain.python] + toolchain.identity,
            transitive = [toolchain.python_files, sources.files],
        ).to_list() + ([] if RESTARTS_WORKERS_FOR_TOOLS else [sources.executable]) + tools,
        # Paths relative to the execution root.
        env = dict(_ENV, PYTHONPATH = ":".join(pythonpath)),
        mnemonic = mnemonic,
        progress_message = progress_message,
        **dict(kwargs, **toolchain_argument(toolchain.toolchain_type))
    )

def run_compiler(ctx, toolchain, arguments, inputs, tools, outputs, mnemonic, progress_message, execution_requirements, resource_set, module = None):
    """Registers an action that runs the compiler, which imports the user's code.

    User code can import its own libraries, the standard library, the locked packages and `exir`;
    nothing else.

    Args:
      ctx: the rule's context.
      toolchain: the executorch toolchain.
      arguments: Args: the compiler's flags.
      inputs: depset[File].
      tools: list[FilesToRunProvider]: programs that user code runs.
      outputs: list[File].
      mnemonic: CamelCase name of the action.
      progress_message: progress message of the action.
      execution_requirements: dict[string, string].
      resource_set: `resource_set` function with the action's CPU and memory.
      module: dotted name of another program of the compiler to run instead.
    """
    use_params_file(arguments)
    _run_python(
        ctx,
        toolchain,
        toolchain.compiler,
        pythonpath = toolchain.packages.roots,
        # Without RESTARTS_WORKERS_FOR_TOOLS, no toolchain has such packages.
        tools = tools + ([toolchain.packages.tools] if toolchain.packages.tools else []),
        arguments = [toolchain.compiler_main.path] + (["-m", module] if module else []) + [arguments],
        inputs = depset(transitive = [toolchain.packages.files, inputs]),
        outputs = outputs,
        mnemonic = mnemonic,
        progress_message = progress_message,
        execution_requirements = execution_requirements,
        **resource_argument(resource_set)
    )

def run_module(ctx, toolchain, sources, module, arguments, inputs, outputs, mnemonic, progress_message, package_roots = [], tools = []):
    """Registers an action that runs a module of the generators or of this repository.

    Args:
      ctx: the rule's context.
      toolchain: the toolchain with the interpreter.
      sources: `generators` of the code generation toolchain.
      module: dotted name of the module.
      arguments: Args.
      inputs: depset[File].
      outputs: list[File].
      mnemonic: CamelCase name of the action.
      progress_message: progress message of the action.
      package_roots: list[string]: folders of packages that the module imports, from the execution root.
      tools: list[FilesToRunProvider]: programs that the module runs.
    """
    _run_python(
        ctx,
        toolchain,
        sources,
        tools = tools,
        pythonpath = import_roots(sources.root) + package_roots,
        arguments = ["-m", module, arguments],
        inputs = inputs,
        outputs = outputs,
        mnemonic = mnemonic,
        progress_message = progress_message,
    )
