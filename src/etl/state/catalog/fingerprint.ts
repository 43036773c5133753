import { z } from 'zod';
import { type Connection, ident, table, text } from '../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import { recordFingerprint, unpublishedUnits } from './ops/ops-loads.ts';
import { columnsOfUnits } from './ops/ops-unit-fields.ts';
import { CATALOG } from './schema.ts';

const FingerprintRow = z.strictObject({ unit: z.string(), fingerprint: z.string() });

/**
 * Units of one statement. DuckDB then reads the other columns only if `_unit` matches; with `IN`, it would read all
 * columns.
 */
const UNITS_AT_ONCE = 50;

export interface FingerprintValue {
  readonly column: string;
  readonly sql: string;
}

/**
 * Returns SQL that sums up rows by their values, in any order: a whole number as text, `0` for no rows. Two results can
 * be compared only if the values have the same types.
 */
export function fingerprintSql(values: readonly FingerprintValue[]): string {
  return hashSumSql(rowHashSql(values));
}

/** Returns SQL of a row's hash. Columns are hashed in the order of their names. */
export function rowHashSql(values: readonly FingerprintValue[]): string {
  if (values.length === 0) return 'CAST(NULL AS UBIGINT)';
  const sorted = values.toSorted((value, other) => (value.column < other.column ? -1 : 1));
  return `hash(${sorted.map(({ sql }) => sql).join(', ')})`;
}

/** Returns SQL of the fingerprint of rows, from their hashes. */
export function hashSumSql(hash: string): string {
  return `coalesce(CAST(sum(${hash}) AS VARCHAR), '0')`;
}

interface UnitsOfDataset {
  readonly dataset: string;
  readonly units: readonly string[];
  /** A condition that the rows meet (`recentRows`). */
  readonly recent?: string;
}

/**
 * Returns the fingerprints of units in their raw table. Each fingerprint covers the columns that its unit was loaded
 * with.
 */
export async function unitFingerprints(
  connection: Connection,
  catalog: string,
  { dataset, units, recent = 'true' }: UnitsOfDataset,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const found = new Map(units.map((unit) => [unit, '0']));
  const came = await columnsOfUnits(connection, catalog, dataset, units);
  const present = (await presentRows(connection, catalog))(dataset);
  for (const group of Map.groupBy(came, ({ columns }) => JSON.stringify(columns)).values()) {
    const values = (group[0]?.columns ?? []).map((column) => ({ column, sql: ident(column) }));
    for (let first = 0; first < group.length; first += UNITS_AT_ONCE) {
      const some = group.slice(first, first + UNITS_AT_ONCE).map(({ unit }) => text(unit));
      const rows = typedRows(
        FingerprintRow,
        await connection.rows(
          `SELECT _unit AS unit, ${fingerprintSql(values)} AS fingerprint FROM ${table(catalog, 'raw', dataset)}
           WHERE list_contains([${some.join(', ')}], _unit) AND ${present} AND ${recent} GROUP BY _unit`,
          [],
          signal,
        ),
      );
      for (const { unit, fingerprint } of rows) found.set(unit, fingerprint);
    }
  }
  return found;
}

/** Recomputes the fingerprints of a dataset's unpublished units, after a column changed its type. */
export async function renewFingerprints(
  connection: Connection,
  dataset: string,
  signal?: AbortSignal,
): Promise<void> {
  const units = await unpublishedUnits(connection, dataset);
  for (const [unit, fingerprint] of await unitFingerprints(connection, CATALOG, { dataset, units }, signal))
    await recordFingerprint(connection, unit, fingerprint);
}

/** Returns the condition on the current rows of a raw table. Lists of resources also keep earlier records. */
export async function presentRows(
  connection: Connection,
  catalog: string,
): Promise<(dataset: string) => string> {
  const names = await connection.column<string>(
    `SELECT table_name FROM duckdb_columns()
     WHERE database_name = ? AND schema_name = 'raw' AND column_name = '_seen_to'`,
    [catalog],
  );
  const withHistory = new Set(names);
  return (dataset) => (withHistory.has(dataset) ? '_seen_to IS NULL' : 'true');
}
