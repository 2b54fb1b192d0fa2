"""Delegation: the interface between the compiler and backends."""
