"""Python in a cell of Cofferdam: what the interpreter is given in place of an operating system."""
