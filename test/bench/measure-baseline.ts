import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { request } from 'undici';
import { text } from '../../src/core/duckdb.ts';
import { peakRss } from './peak-rss.ts';

/**
 * What a person would write: the same bytes to disk, then `CREATE TABLE AS` with explicit types, DuckDB's own memory
 * limit. Nothing is counted, checked or kept apart.
 */
const [baseUrl = '', folder = '', name = '', dataType = '', format = '', threads = '2', data = ''] =
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
const file = join(folder, `export.${format}`);
const fileType = format === 'csv' ? 'csv' : 'json';
const path = `${baseUrl}/api/v2/data/crawl/${name}/${dataType}?export=true&file_type=${fileType}`;
const response = await request(path, { method: 'POST', body: '{}' });
await pipeline(response.body, createWriteStream(file));
const options = `columns={${columns.join(', ')}}, timestampformat='%Y/%m/%d %H:%M:%S UTC'`;
const reader =
  format === 'csv'
    ? `read_csv(${text(file)}, auto_detect=false, header=true, delim=';', quote='"', escape='"', ${options})`
    : `read_json(${text(file)}, format='newline_delimited', ${options})`;
await connection.run(`CREATE TABLE t AS SELECT * FROM ${reader}`);
const seconds = (performance.now() - startedAt) / 1000;
const count = (await connection.runAndReadAll('SELECT count(*) FROM t')).getRows()[0]?.[0];
if (Number(count) !== rows) throw new Error(`${count} rows in the baseline, not ${rows}`);
process.stdout.write(`${JSON.stringify({ seconds, rss: peakRss() })}\n`);
process.exit(0);
