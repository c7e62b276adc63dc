"""Benchmarks of the dashboard, in a real browser."""
