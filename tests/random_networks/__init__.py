"""Random networks through compiler and runtime, beside eager PyTorch."""
