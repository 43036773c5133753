import { listValue } from '@duckdb/node-api';
import { z } from 'zod';
import { type Connection, file, text } from '../../../core/duckdb/duckdb.ts';
import { readLines } from '../../../core/files/read-lines.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { Part } from '../../project/model/download.ts';
import { needsInspection } from './convert-part.ts';
import { MAX_JSON_RECORD } from './raw-reader.ts';

/** Null if no differing row has a key: `{}`. */
const PartNames = z.strictObject({
  names: z.object({ items: z.array(z.string()) }).nullable(),
  repeated: z.boolean().nullable(),
});

/** Names in the rows of a JSONL part. */
export interface PartKeys {
  readonly names: readonly string[];
  /** Whether some row has a key twice. */
  readonly repeated: boolean;
}

/** The sampled rows of a later part, and the limit of their text in characters, which is kept in memory. */
const SAMPLE_ROWS = 256;
const SAMPLE_TEXT = 2_000_000;
/** The maximum number of sampled keys in one part. Each row of a vector keeps a list of them. */
const MOST_KEYS = 1_000_000;

/**
 * Returns the keys of a JSONL part's rows. DuckDB's reader ignores undeclared keys, so the keys of rows are compared
 * with those of the first row. Rows that differ are examined. If a line is not a JSON object, the lines are parsed one
 * by one, so that the other rows keep their keys.
 *
 * @param extent every row, or the first ones (docs/decisions/staging.md)
 */
export async function partKeys(
  connection: Connection,
  part: Part,
  extent: 'all' | 'sample',
  signal: AbortSignal,
): Promise<PartKeys> {
  const head = await firstLines(part, extent === 'all' ? 1 : SAMPLE_ROWS);
  const usual = keysOf(head[0]) ?? [];
  const reader = `read_ndjson_objects(${file(part.path)}, hive_partitioning=false, maximum_object_size=${MAX_JSON_RECORD})`;
  const most = Math.ceil(MOST_KEYS / Math.max(1, usual.length));
  const all = part.rows <= most ? reader : `(FROM ${reader} LIMIT ${most})`;
  // A sample is passed as a value, because DuckDB would read 8 MB of the file per thread for it.
  const [rows, values] = extent === 'all' ? [all, []] : ['(SELECT unnest($1) AS json)', [listValue(head)]];
  const others = `FROM ${rows}
    WHERE hash(json_keys(json)) <> hash(${`[${usual.map(text).join(', ')}]::VARCHAR[]`})`;
  try {
    const different = await connection.scalar(`SELECT count(*) ${others}`, values, signal);
    if (different === 0n) return { names: usual, repeated: false };
    const [row] = typedRows(
      PartNames,
      await connection.rows(
        `SELECT list(DISTINCT name) AS names, bool_or(repeated) AS repeated FROM (
         SELECT unnest(json_keys(json)) AS name, len(list_distinct(json_keys(json))) < len(json_keys(json)) AS repeated
         ${others})`,
        values,
        signal,
      ),
    );
    const names = new Set([...usual, ...(row?.names?.items ?? [])]);
    return { names: [...names], repeated: row?.repeated ?? false };
  } catch (error) {
    if (signal.aborted || !needsInspection(error)) throw error;
    return { names: await keysByLine(part, extent === 'all' ? most : head.length), repeated: false };
  }
}

/** Returns the first lines of a part that are not blank, at least one if there is one. */
async function firstLines(part: Part, count: number): Promise<string[]> {
  const lines: string[] = [];
  let characters = 0;
  for await (const { line } of readLines(part.path)) {
    if (line.trim() === '') continue;
    lines.push(line);
    characters += line.length;
    if (lines.length >= count || characters >= SAMPLE_TEXT) break;
  }
  return lines;
}

/** Returns the keys of the JSON objects among the first lines that are not blank. */
async function keysByLine(part: Part, count: number): Promise<string[]> {
  const names = new Set<string>();
  let left = count;
  for await (const { line } of readLines(part.path)) {
    if (line.trim() === '') continue;
    for (const key of keysOf(line) ?? []) names.add(key);
    if (--left === 0) break;
  }
  return [...names];
}

/** Returns the keys of a row, none if there is no row, or null if the row is not a JSON object. */
function keysOf(line: string | undefined): string[] | null {
  if (line === undefined) return [];
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === 'object' && row !== null && !Array.isArray(row) ? Object.keys(row) : null;
  } catch {
    // No JSON: staging rejects the line with its number.
    return null;
  }
}
