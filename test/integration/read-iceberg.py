"""Reads Iceberg tables with DuckDB's extension and with PyIceberg, as a server: a table a line, its rows as Parquet."""

import importlib
import json
import pathlib
import sys

import duckdb
import pyarrow.parquet
from pyiceberg.table import StaticTable

s3 = json.loads(sys.argv[1])
database = duckdb.connect()
for name in ["avro", "iceberg", "httpfs"]:
    folder = pathlib.Path(importlib.import_module(f"duckdb_extension_{name}").__file__).parent
    database.execute(f"LOAD '{next(folder.rglob('*.duckdb_extension'))}'")
if s3:
    host = s3["endpoint"].removeprefix("http://")
    database.execute(
        f"CREATE SECRET (TYPE s3, KEY_ID '{s3['key']}', SECRET '{s3['secret']}', REGION '{s3['region']}', "
        f"ENDPOINT '{host}', URL_STYLE 'path', USE_SSL false)"
    )
properties = (
    {
        "s3.endpoint": s3["endpoint"],
        "s3.access-key-id": s3["key"],
        "s3.secret-access-key": s3["secret"],
        "s3.region": s3["region"],
    }
    if s3
    else {}
)


def by_duckdb(table, snapshot, out):
    at = f", snapshot_from_id={snapshot}" if snapshot else ""
    database.execute(f"COPY (FROM iceberg_scan('{table}'{at})) TO '{out}' (FORMAT parquet)")


def by_pyiceberg(table, snapshot, out):
    static = StaticTable.from_metadata(table, properties)
    pyarrow.parquet.write_table(static.scan(snapshot_id=snapshot).to_arrow(), out)


for line in sys.stdin:
    asked = json.loads(line)
    answer = {}
    for name, read in [("duckdb", by_duckdb), ("pyiceberg", by_pyiceberg)]:
        out = f"{asked['out']}.{name}.parquet"
        try:
            read(asked["table"], asked.get("snapshot"), out)
            answer[name] = {"file": out}
        except Exception as error:  # its message is the finding
            answer[name] = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
