"""What several sets of kernels have together."""

def operator_tables(kernels):
    """Finds the tables of operators.

    Args:
      kernels: depset[ExecutorchKernelsInfo]

    Returns:
      depset[File]
    """
    return depset(transitive = [each.operator_tables for each in kernels.to_list()])

def kernel_tables(kernels):
    """Finds the tables of kernels.

    Args:
      kernels: depset[ExecutorchKernelsInfo]

    Returns:
      depset[File]
    """
    return depset(transitive = [each.kernel_tables for each in kernels.to_list()])
