import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { request } from 'undici';
import { text } from '../../src/core/duckdb/duckdb.ts';
import { cpuSeconds, peakRss } from './resources.ts';
import { wayOf } from './ways.ts';

/**
 * What a person would write: the same bytes to disk, then `CREATE TABLE AS` with explicit types, DuckDB's own memory
 * limit. Nothing is counted, checked or kept apart.
 */
const [baseUrl = '', folder = '', name = '', dataType = '', wayName = '', threads = '2', data = ''] =
  process.argv.slice(2);
const TYPES: Record<string, string> = {
  natural: 'BIGINT',
  float: 'DOUBLE',
  bool: 'BOOLEAN',
  datetime: 'TIMESTAMP',
  string: 'VARCHAR',
};
const { fields, rows } = JSON.parse(readFileSync(join(data, `${name}.fields.json`), 'utf8'));
const columns = fields.map(
  (field: { name: string; type: string }) => `${text(field.name)}: '${TYPES[field.type]}'`,
);
const instance = await DuckDBInstance.create(join(folder, 'baseline.duckdb'), { threads });
const connection = await instance.connect();

const startedAt = performance.now();
const cpuBefore = cpuSeconds();
const { route, format, gzip, extension } = wayOf(wayName);
const file = join(folder, `export.${extension}`);
const response =
  route === 'export'
    ? await request(`${baseUrl}/storage/v1/b/bench/o/${name}.${extension}?alt=media`)
    : await request(`${baseUrl}/api/v2/data/crawl/${name}/${dataType}?export=true&file_type=${format}`, {
        method: 'POST',
        headers: gzip ? { 'accept-encoding': 'gzip' } : {},
        body: '{}',
      });
await pipeline(response.body, createWriteStream(file));
const transfer = (performance.now() - startedAt) / 1000;
const options = `columns={${columns.join(', ')}}, timestampformat='%Y/%m/%d %H:%M:%S UTC'`;
const READERS = {
  csv: `read_csv(${text(file)}, auto_detect=false, header=true, delim=';', quote='"', escape='"', ${options})`,
  json: `read_json(${text(file)}, format='newline_delimited', ${options})`,
  parquet: `read_parquet(${text(file)})`,
};
const reader = READERS[format];
await connection.run(`CREATE TABLE t AS SELECT * FROM ${reader}`);
const seconds = (performance.now() - startedAt) / 1000;
const cpu = cpuSeconds() - cpuBefore;
const count = (await connection.runAndReadAll('SELECT count(*) FROM t')).getRows()[0]?.[0];
if (Number(count) !== rows) throw new Error(`${count} rows in the baseline, not ${rows}`);
process.stdout.write(`${JSON.stringify({ seconds, cpu, transfer, rss: peakRss() })}\n`);
process.exit(0);
