"""Tables of several kernel libraries."""

def operator_tables(kernels):
    """Returns the operator tables.

    Args:
      kernels: depset[ExecutorchKernelsInfo]

    Returns:
      depset[File]
    """
    return depset(transitive = [info.operator_tables for info in kernels.to_list()])

def kernel_tables(kernels):
    """Returns the kernel tables.

    Args:
      kernels: depset[ExecutorchKernelsInfo]

    Returns:
      depset[File]
    """
    return depset(transitive = [info.kernel_tables for info in kernels.to_list()])
