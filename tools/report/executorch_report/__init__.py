"""Reports about programs: methods, operators, delegates, memory and sizes.

The facts come only from the program file. torch and the runtime are not needed.
"""
