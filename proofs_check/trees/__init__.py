"""Statements on trees, forests and boosting that users rely on and no paper proves."""
