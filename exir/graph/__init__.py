"""Reading and writing graphs of edge operators: what passes and stages share."""
