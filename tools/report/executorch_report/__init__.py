"""Reports about programs: methods, operators, delegates, memory and sizes.

The facts come from the program file alone. torch and the runtime are not needed.
"""
