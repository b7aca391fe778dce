"""A training, stage by stage, in a folder that any language can read and write."""
