"""Drives Debian's Chromium and a host for pictures, benchmarks and tests of pages."""
