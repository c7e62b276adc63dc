"""Measures time-series stores side by side: the same data, the same questions, checked answers."""
