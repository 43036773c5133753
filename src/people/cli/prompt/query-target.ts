import { extname, resolve } from 'node:path';
import { TEXT_FORMATS } from '../../../answers/query/result/text-formats.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import type { Names } from '../../../project/model/shown/value-text.ts';
import type { Invocation } from '../command.ts';
import { namesOf, oneOf } from '../flag-values.ts';

export const QUERY_FORMATS = [...TEXT_FORMATS, 'parquet'] as const;
type QueryFormat = (typeof QUERY_FORMATS)[number];

const BY_EXTENSION: Readonly<Record<string, QueryFormat>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.md': 'markdown',
  '.parquet': 'parquet',
  '.txt': 'table',
};

/** Where the rows of a query go, and as what. */
export interface QueryTarget {
  readonly format: QueryFormat;
  /** The file that `--output` names; null: stdout. */
  readonly path: string | null;
  /** Of CSV: whether what looks like a formula stays text. */
  readonly safeCsv: boolean;
  readonly names: Names;
}

/**
 * The target that the flags name; without `--format` the file's ending says it.
 *
 * @throws CrawlhouseError `usage`
 */
export function queryTarget(invocation: Invocation): QueryTarget {
  const output = invocation.text('output');
  const path = output === undefined ? null : resolve(invocation.workingDirectory, output);
  const format = formatOf(invocation, path);
  if (format === 'parquet' && path === null) {
    throw new CrawlhouseError('usage', '--format parquet needs a file', { hint: '--output rows.parquet' });
  }
  const safeCsv = invocation.has('safe-csv');
  if (safeCsv && format !== 'csv')
    throw new CrawlhouseError('usage', '--safe-csv needs CSV', { hint: 'add --format csv' });
  const names = namesOf(invocation, 'columns');
  if (names === 'people' && format === 'parquet')
    throw new CrawlhouseError('usage', '--names people: not in Parquet', { hint: 'or --format csv' });
  return { format, path, safeCsv, names };
}

function formatOf(invocation: Invocation, path: string | null): QueryFormat {
  const format = oneOf(invocation, 'format', QUERY_FORMATS);
  if (format !== null) return format;
  if (invocation.has('json')) return 'json';
  return path === null ? 'table' : formatOfFile(path);
}

function formatOfFile(path: string): QueryFormat {
  const format = lookUp(BY_EXTENSION, extname(path).toLowerCase());
  if (format) return format;
  throw new CrawlhouseError('usage', `--output: the ending of ${path} names no format`, {
    hint: `add --format, or end it in ${Object.keys(BY_EXTENSION).join(', ')}`,
  });
}
