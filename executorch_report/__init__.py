"""What a program is: its methods, operators, delegates, memory and sizes, from the file alone; as text, JSON and HTML.

Needs no torch and no runtime.
"""
