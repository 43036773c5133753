import { join } from 'node:path';
import { z } from 'zod';
import { type Connection, DUCKDB_VERSION, ident, parquetFiles } from '../../../core/duckdb/duckdb.ts';
import { describeColumns } from '../../../core/duckdb/table-columns.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import { REJECT_COLUMNS } from '../../project/model/manifest.ts';
import { fingerprintSql } from '../../state/catalog/fingerprint.ts';
import type { Package } from './read-package.ts';

const PartFacts = z.strictObject({
  rows: z.bigint(),
  sound: z.object({ items: z.array(z.boolean()) }),
  fingerprint: z.string(),
});

/**
 * Reads every value of a package's files and checks them against the manifest. Each part must have the declared columns
 * in their types, and the declared number of rows. Values that staging never writes are invalid: NaN, an infinite day,
 * broken JSON.
 *
 * @throws CrawlhouseError `bad_package`
 */
export async function checkParts(
  connection: Connection,
  { folder, manifest }: Package,
  signal: AbortSignal,
): Promise<void> {
  const declared = new Map(manifest.columns.map(({ column, sql_type }) => [column, sql_type]));
  let sum = 0n;
  for (const { file, rows } of manifest.parts)
    sum += await checkFile(connection, join(folder, file), declared, rows, signal);
  const { fingerprint } = manifest;
  if (fingerprint?.duckdb === DUCKDB_VERSION && BigInt(fingerprint.sum) !== sum)
    throw notAsSaid(`${folder}: its parts have the fingerprint ${sum}, the manifest says ${fingerprint.sum}`);
  let rejected = 0n;
  for (const { file, rows } of manifest.rejects) {
    const path = join(folder, file);
    await checkFile(connection, path, new Map(Object.entries(REJECT_COLUMNS)), rows, signal);
    const counted = `SELECT count(*) FROM (SELECT DISTINCT file, line FROM ${parquetFiles([path])})`;
    rejected += (await connection.scalar(counted, [], signal)) as bigint;
  }
  if (rejected !== BigInt(manifest.counts.rejected)) {
    const says = `the manifest says ${manifest.counts.rejected}`;
    throw notAsSaid(`${folder}: its files of rejects have ${rejected} rejected rows, ${says}`);
  }
}

/** @returns the fingerprint of the file */
async function checkFile(
  connection: Connection,
  path: string,
  declared: ReadonlyMap<string, string>,
  rows: number,
  signal: AbortSignal,
): Promise<bigint> {
  const source = parquetFiles([path]);
  const described = await reading(path, signal, () =>
    describeColumns(connection, `SELECT * FROM ${source}`, signal),
  );
  const types = new Map(described.map((column) => [column.column_name, column.column_type]));
  for (const [column, type] of declared) {
    const own = types.get(column);
    if (own === type) continue;
    const what = own === undefined ? 'is not in it' : `is ${own}`;
    throw notAsSaid(`${path}: the column ${JSON.stringify(column)} ${what}, the manifest says ${type}`);
  }
  const columns = [...declared];
  const sound = columns.map(([column, type]) => soundSql(ident(column), type));
  // It reads every value.
  const fingerprint = fingerprintSql(columns.map(([column]) => ({ column, sql: ident(column) })));
  const [facts] = await reading(path, signal, async () =>
    typedRows(
      PartFacts,
      await connection.rows(
        `SELECT count(*) AS rows, CAST([${sound.join(', ')}] AS BOOLEAN[]) AS sound, ${fingerprint} AS fingerprint
         FROM ${source}`,
        [],
        signal,
      ),
    ),
  );
  if (facts?.rows !== BigInt(rows))
    throw notAsSaid(`${path} has ${facts?.rows} rows, the manifest says ${rows}`);
  const broken = columns[facts.sound.items.indexOf(false)];
  if (!broken) return BigInt(facts.fingerprint);
  const [column, type] = broken;
  throw notAsSaid(`${path}: the column ${JSON.stringify(column)} has an invalid ${type} value`);
}

/** Returns SQL that is false for a value that staging never writes. */
function soundSql(column: string, type: string): string {
  const isList = type.endsWith('[]');
  const element = isList ? type.slice(0, -2) : type;
  const check = element === 'JSON' ? 'json_valid' : FINITE.includes(element) ? 'isfinite' : null;
  if (check === null) return 'true';
  const sound = isList ? `len(list_filter(${column}, lambda e: NOT ${check}(e))) = 0` : `${check}(${column})`;
  return `coalesce(bool_and(${sound}), true)`;
}

const FINITE: readonly string[] = ['DOUBLE', 'DATE', 'TIMESTAMP WITH TIME ZONE'];

async function reading<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Errors of memory and disk, not of the file.
    if (signal.aborted || /out of memory|could not write|no space/i.test(message)) throw error;
    throw new CrawlhouseError('bad_package', `${path} cannot be read: ${message.split('\n')[0]}`, {
      cause: error,
    });
  }
}

function notAsSaid(message: string): CrawlhouseError {
  return new CrawlhouseError('bad_package', message);
}
