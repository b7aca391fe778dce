"""What a difference looks like: patterns that name the mistake behind it."""
