"""Rows: one for each side that a run has to ask, for the user's own analysis.

There is a row for each run × model × condition × polarity × pair × side, whether the side was asked
yet or not, so that every reported rate of `scores.json` is a mean over rows. What the two readers make
of a response stands side by side in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from modalgen.evaluate.readings import READERS, Facts, Readings, Row
from modalgen.evaluate.scoring import MISSING
from modalgen.files import replaced_file
from modalgen.records import SIDES

_NAMES = pa.dictionary(pa.int32(), pa.string())  # texts that repeat

COLUMNS = pa.schema(
    [
        ("run", _NAMES),
        ("model", _NAMES),
        ("condition", _NAMES),
        ("polarity", _NAMES),
        ("pair_id", _NAMES),
        ("side", _NAMES),
        ("contrast", _NAMES),
        ("axis", _NAMES),
        ("task", _NAMES),
        ("premise_status", _NAMES),
        ("modal_depth", pa.int32()),
        ("size", pa.int32()),
        ("family", _NAMES),
        ("semantics", _NAMES),
        ("label", pa.bool_()),
        *(
            (f"{name}_{reader}", kind)
            for reader in READERS
            for name, kind in (
                ("outcome", _NAMES),
                ("answer", pa.bool_()),
                ("word", _NAMES),
                ("right", pa.bool_()),
            )
        ),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("reasoning_tokens", pa.int64()),
        ("cost", pa.float64()),
    ]
)


def write_rows(path: Path, runs: Mapping[str, Readings]) -> int:
    """Write the rows of runs, by the names that the user gave them, as a Parquet file; how many there
    are. The file has its old or its new contents, whole. Raises OSError."""
    count = 0
    with replaced_file(path) as stream, pq.ParquetWriter(stream, COLUMNS) as writer:
        for batch in _batches(runs):
            writer.write_batch(batch)
            count += batch.num_rows
    return count


def _batches(runs: Mapping[str, Readings]) -> Iterator[pa.RecordBatch]:
    """The rows of a cell in one batch."""
    for name, readings in runs.items():
        for cell, rows in readings.cells.items():
            place = {
                "run": name,
                "model": cell.model,
                "condition": cell.condition,
                "polarity": cell.polarity,
            }
            records = [
                place | _record(pair, side, rows.get((pair.pair_id, side)))
                for pair in readings.pairs
                for side in SIDES
            ]
            yield pa.RecordBatch.from_pylist(records, COLUMNS)


def _record(pair: Facts, side: str, row: Row | None) -> dict[str, Any]:
    """The row of a side, but for the cell."""
    label = side == pair.valid_side
    usage = row.usage if row else {}
    found: dict[str, Any] = {
        **pair.place,
        "pair_id": pair.pair_id,
        "side": side,
        "modal_depth": pair.modal_depth,
        "size": pair.size,
        "semantics": pair.conditions[side],
        "label": label,
        "input_tokens": usage.get("input"),
        "output_tokens": usage.get("output"),
        "reasoning_tokens": usage.get("reasoning"),
        "cost": row.cost if row else None,
    }
    for reader in READERS:
        reading = row.readings[reader] if row else None
        found[f"outcome_{reader}"] = str(reading.outcome) if reading else MISSING
        found[f"answer_{reader}"] = reading.label if reading else None
        found[f"word_{reader}"] = reading.word if reading else None
        found[f"right_{reader}"] = reading is not None and reading.label is label
    return found
