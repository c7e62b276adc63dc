"""Counts of the instructions of a host, which are the same whatever else the machine does."""
