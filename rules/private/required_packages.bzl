"""Packages that the compiler requires, and the supported releases of torch."""

# The compiler imports these packages in each compilation.
REQUIRED_PACKAGES = ["flatbuffers", "numpy", "torch"]

# The oldest and the newest supported minor release, as in exir/torch_versions.py.
OLDEST_TORCH = (2, 11)
NEWEST_TORCH = (2, 15)
