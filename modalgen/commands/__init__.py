"""The commands of the console script, a module each."""
