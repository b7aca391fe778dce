"""The teacher's key: a right solution of each exercise, and what solutions with a known fault compute."""
