"""What a compilation says and leaves behind: messages, files, the manifest, recorded calls."""
