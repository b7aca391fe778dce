"""Numbers that leave the program: in JSON, as digests, and how far apart two of them are."""
