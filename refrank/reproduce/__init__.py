"""The tables and figures of each paper, made again beside the paper's own numbers: a folder per paper."""
