"""The rules of Stemma as plain functions: no I/O, no clock, no randomness, no logging."""
