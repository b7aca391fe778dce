"""Tests: what each row found is pinned, claims are drawn at larger sizes, and planted faults are caught."""
