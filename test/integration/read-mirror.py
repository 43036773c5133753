"""Reads each folder of a mirror with readers that are not DuckDB. Prints rows and columns, and writes the rows back."""

import json
import pathlib
import sys

import fastparquet
import pandas
import polars
import pyarrow.dataset
import pyarrow.parquet

mirror, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
# By convention Hive, Spark and Athena read no file or folder whose name begins so.
HIDDEN = ("_", ".")
PARTITIONS = {"source_id", "window", "crawl", "project"}


def is_hidden(path):
    return any(part.startswith(HIDDEN) for part in path.relative_to(mirror).parts)


def own(columns):
    return [name for name in columns if name not in PARTITIONS]


def written(table, reader, name):
    folder = out / reader
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.parquet"
    pyarrow.parquet.write_table(table, path)
    return str(path)


for folder in sorted(path for path in mirror.glob("*/*") if path.is_dir()):
    name = ".".join(folder.relative_to(mirror).parts)
    files = sorted(str(path) for path in folder.rglob("*.parquet"))
    seen = [path for path in files if not is_hidden(pathlib.Path(path))]
    found = {"spark": {"rows": sum(pyarrow.parquet.read_metadata(path).num_rows for path in seen)}}
    dataset = pyarrow.dataset.dataset(folder, partitioning="hive").to_table()
    dataset = dataset.select(own(dataset.column_names))
    found["pyarrow"] = {"rows": dataset.num_rows, "file": written(dataset, "pyarrow", name)}
    whole = pyarrow.parquet.read_table(folder)
    found["read_table"] = {"rows": whole.num_rows, "columns": own(whole.column_names)}
    frame = pandas.read_parquet(folder, engine="pyarrow")
    found["pandas"] = {"rows": len(frame), "columns": own(frame.columns)}
    lazy = polars.read_parquet(f"{folder}/**/*.parquet", hive_partitioning=True)
    found["polars"] = {"rows": lazy.height, "file": written(lazy.select(own(lazy.columns)).to_arrow(), "polars", name)}
    try:
        fast = fastparquet.ParquetFile(files, root=str(folder))
        found["fastparquet"] = {"rows": fast.count(), "columns": own(fast.columns)}
    except Exception as error:  # its message is the finding
        found["fastparquet"] = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps({"table": name, "readers": found}), flush=True)
