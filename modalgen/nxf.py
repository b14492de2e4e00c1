"""TPTP non-classical form (NXF): problems printed to it and read from it."""

from modalgen.nxf_printer import to_nxf
from modalgen.nxf_reader import read_nxf
from modalgen.nxf_tokens import NxfError

__all__ = ["NxfError", "read_nxf", "to_nxf"]
