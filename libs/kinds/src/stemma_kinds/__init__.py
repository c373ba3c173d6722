"""Document kinds as data, a folder each: those that ship lie here, others in any package that says so."""

from .finding import KindError, KindFolder, digests, find_kinds, merged
