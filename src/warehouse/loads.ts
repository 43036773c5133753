import type { Connection } from '../core/duckdb.ts';
import type { Counts } from '../model/counts.ts';

/** What the warehouse knows of a unit that it holds. */
export interface LoadedUnit {
  readonly unit: string;
  readonly content_sha256: string;
  readonly filter: string | null;
  readonly route: string;
  /** Are its rows in the published file too? */
  readonly published: boolean;
  /** ISO 8601. */
  readonly loaded_at: string;
}

/** Every unit that the warehouse holds, by name. */
export async function loadedUnits(connection: Connection): Promise<Map<string, LoadedUnit>> {
  const rows = await connection.rows(
    `SELECT unit, content_sha256, filter, route, queryable IS NOT NULL AS published, strftime(loaded_at, '%Y-%m-%dT%H:%M:%S.%gZ') AS loaded_at
     FROM ops.loads`,
  );
  return new Map(rows.map((row) => [String(row.unit), row as unknown as LoadedUnit]));
}

/** The six counts of the given units as `ops.loads` has them. */
export async function countsOf(
  connection: Connection,
  units: readonly string[],
): Promise<Map<string, Counts>> {
  const rows = await connection.rows<Record<string, string | bigint | null>>(
    `SELECT unit, reported, received, staged, rejected, loaded, queryable FROM ops.loads
     WHERE list_contains(CAST(from_json(?, '["VARCHAR"]') AS VARCHAR[]), unit)`,
    [JSON.stringify(units)],
  );
  const number = (value: string | bigint | null | undefined): number | null =>
    value === null || value === undefined ? null : Number(value);
  return new Map(
    rows.map((row) => [
      String(row.unit),
      {
        reported: number(row.reported),
        received: Number(row.received),
        staged: Number(row.staged),
        rejected: Number(row.rejected),
        loaded: number(row.loaded),
        queryable: number(row.queryable),
      },
    ]),
  );
}
