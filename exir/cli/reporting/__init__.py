"""The outputs of a compilation: messages, files, manifest, recorded calls."""
