"""Loads one body into DuckDB with dlt: `load-dlt.py URL DATABASE FORMAT WAY`, the table is `bench.t`.

FORMAT is `json` (a record a line) or `csv`. WAY is one of:
- `default`: lists of rows, and the loader file format that dlt takes by itself
- `parquet`: lists of rows, and Parquet
- `arrow`: Arrow batches of pyarrow's readers, and Parquet
"""

import os
import sys
from itertools import islice

import dlt
from dlt.common import json
from dlt.sources.helpers import requests

URL, DATABASE, FORMAT, WAY = sys.argv[1:]
BATCH_ROWS = 10_000
BLOCK_BYTES = 8 * 1024 * 1024


@dlt.resource(name="t", write_disposition="replace")
def rows():
    with requests.get(URL, stream=True) as response:
        lines = response.iter_lines(chunk_size=1024 * 1024)
        while batch := list(islice(lines, BATCH_ROWS)):
            yield [json.loadb(line) for line in batch]


@dlt.resource(name="t", write_disposition="replace")
def batches():
    from pyarrow import csv
    from pyarrow import json as json_lines

    with requests.get(URL, stream=True) as response:
        if FORMAT == "csv":
            yield from csv.open_csv(
                response.raw,
                read_options=csv.ReadOptions(block_size=BLOCK_BYTES),
                parse_options=csv.ParseOptions(delimiter=";"),
            )
        else:
            yield from json_lines.open_json(response.raw, read_options=json_lines.ReadOptions(block_size=BLOCK_BYTES))


pipeline = dlt.pipeline(
    pipeline_name="bench",
    pipelines_dir=os.path.join(os.path.dirname(DATABASE), "pipelines"),
    destination=dlt.destinations.duckdb(DATABASE),
    dataset_name="bench",
)
info = pipeline.run(
    batches() if WAY == "arrow" else rows(),
    loader_file_format=None if WAY == "default" else "parquet",
)
info.raise_on_failed_jobs()
