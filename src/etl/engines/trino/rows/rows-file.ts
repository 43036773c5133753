import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { file, ident, text } from '../../../../core/duckdb/duckdb.ts';
import { stringifyJson } from '../../../../core/text/json.ts';
import type { EngineValue } from '../../engine.ts';
import type { TrinoPage } from '../client/trino-client.ts';

interface FileColumn {
  readonly name: string;
  /** A type of DuckDB. */
  readonly type: string;
}

/** Bytes of the longest line. */
const LONGEST = 64 * 1024 * 1024;

/** Writes the rows of a Trino statement as lines of JSON with keys by column position: `c0`, `c1`, … */
export async function writeRowsFile(pages: AsyncIterable<TrinoPage>, path: string): Promise<void> {
  const stream = createWriteStream(path, { mode: 0o600 });
  // A full disk may show while nothing awaits the stream. The next write or the end throws the error.
  stream.on('error', () => {});
  try {
    for await (const { rows } of pages) {
      const lines = rows.map((row) =>
        stringifyJson(Object.fromEntries(row.map((value, place) => [placeName(place), spelled(value)]))),
      );
      if (stream.errored) throw stream.errored;
      if (lines.length > 0 && !stream.write(`${lines.join('\n')}\n`)) await once(stream, 'drain');
    }
    stream.end();
    await finished(stream);
  } finally {
    stream.destroy();
  }
}

/** Reads infinity and NaN, which JSON does not have. */
function spelled(value: EngineValue): EngineValue {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return Array.isArray(value) ? value.map(spelled) : value;
}

function placeName(place: number): string {
  return `c${place}`;
}

export function selectRowsFile(path: string, columns: readonly FileColumn[]): string {
  const types = columns.map(({ type }, place) => `${text(placeName(place))}: ${text(readType(type))}`);
  const named = columns.map(
    ({ name, type }, place) => `CAST(${ident(placeName(place))} AS ${type}) AS ${ident(name)}`,
  );
  return `SELECT ${named.join(', ')} FROM read_json(${file(path)}, format = 'newline_delimited',
    maximum_object_size = ${LONGEST}, columns = {${types.join(', ')}})`;
}

/** Trino delivers JSON as text. */
function readType(type: string): string {
  return type.replace(/^JSON/, 'VARCHAR');
}
