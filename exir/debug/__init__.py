"""Source lines of a model, and the debug record for developer tools."""
