import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { parseJson } from '../../../../core/text/json.ts';
import type { Unit } from '../../../project/model/unit.ts';

/** Returns rows as in JSON: whole numbers are numbers, or bigints where a number would lose digits. */
export async function exactRows<T>(
  connection: Connection,
  sql: string,
  values: readonly string[] = [],
): Promise<T[]> {
  const rows = await connection.column<string>(
    `SELECT CAST(to_json(answer) AS VARCHAR) FROM (${sql}) AS answer`,
    values,
  );
  return rows.map((row) => parseJson(row) as T);
}

/** A unit with its name, as in the ledger and the tables of `ops`. */
export interface NamedUnit extends Unit {
  readonly unit: string;
}

/** The columns by which a table of `ops` names the unit of a row. */
export const UNIT_COLUMNS = [
  'unit',
  'dataset',
  'source_kind',
  'source_id',
  'project_id',
  'window_from',
  'window_to',
] as const;

export function unitRow({ unit, dataset, source, window }: NamedUnit) {
  return {
    unit,
    dataset,
    source_kind: source.kind,
    source_id: source.id,
    project_id: source.project_id,
    window_from: window?.from ?? null,
    window_to: window?.to ?? null,
  };
}

/** Returns the unit of a row with `UNIT_COLUMNS`. */
export function unitOf(row: { readonly [column: string]: unknown }): NamedUnit {
  const { source_kind: kind, source_id: id, project_id, window_from: from, window_to: to } = row;
  return {
    unit: String(row.unit),
    dataset: String(row.dataset),
    source: { kind, id, project_id } as Unit['source'],
    window: from === null ? null : { from: String(from), to: String(to) },
  };
}
