import type { Connection } from '../../core/duckdb/duckdb.ts';
import type { Unit } from '../../project/model/unit.ts';

/** A unit that the warehouse holds, with what housekeeping asks of it. */
export interface WarehouseUnit extends Unit {
  readonly unit: string;
  readonly rows: number;
  /** When its crawl ended, or else when it was loaded; UTC milliseconds. */
  readonly endedAt: number;
  /** Loaded on purpose although `keep` had no place for it. */
  readonly pinned: boolean;
}

export async function warehouseUnits(connection: Connection): Promise<Map<string, WarehouseUnit>> {
  const rows = await connection.rows<Record<string, string | bigint | boolean | null>>(
    `SELECT l.unit, l.dataset, l.source_kind, l.source_id, l.project_id, l.window_from, l.window_to, l.loaded,
       epoch_ms(coalesce(l.source_ended_at, c.ended_at, l.loaded_at)) AS ended_at, coalesce(l.pinned, false) AS pinned
     FROM ops.loads AS l
     LEFT JOIN (SELECT id, max(ended_at) AS ended_at FROM ops.listed WHERE list = 'crawls' GROUP BY id) AS c
       ON c.id = l.source_id`,
  );
  return new Map(
    rows.map((row) => [
      String(row.unit),
      {
        unit: String(row.unit),
        dataset: String(row.dataset),
        source: { kind: row.source_kind, id: row.source_id, project_id: row.project_id } as Unit['source'],
        window:
          row.window_from === null ? null : { from: String(row.window_from), to: String(row.window_to) },
        rows: Number(row.loaded),
        endedAt: Number(row.ended_at),
        pinned: row.pinned === true,
      },
    ]),
  );
}
