"""Asking language models about contrast pairs, and scoring what they answer."""
