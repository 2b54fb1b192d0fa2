"""The operator tables: what operators are, and which kernels run them."""
