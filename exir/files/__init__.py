"""Input and output files of the compiler, and the options that they contain."""
