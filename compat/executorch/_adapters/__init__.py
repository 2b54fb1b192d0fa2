"""Official classes and functions whose interface differs from this compiler's."""
