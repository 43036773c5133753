import { type Connection, ident, type Row, text } from '../core/duckdb.ts';
import { forgetLoad } from '../warehouse/ops-loads.ts';
import type { PlannedModel } from './plan-models.ts';

/** A model that is made in pieces, as `planModels` gives it. */
export interface CutModel {
  readonly name: string;
  readonly by: readonly string[];
  readonly pieces: string;
  readonly types: ReadonlyMap<string, string>;
}

/** A model with its pieces; undefined for one that is made as a whole. */
export function cutModel({ model, pieces, outputs }: PlannedModel): CutModel | undefined {
  if (!model.incremental || pieces === null) return undefined;
  return { name: model.name, by: model.incremental.by, pieces, types: outputs };
}

/** The pieces that a model is to have. */
export async function presentPieces(connection: Connection, cut: CutModel): Promise<string[]> {
  const rows = await connection.rows<{ piece: string }>(
    `SELECT piece FROM (${currentPieces(cut)}) ORDER BY piece`,
  );
  return rows.map((row) => row.piece);
}

/** Whether the pieces that a unit is part of are made from that unit only. */
export async function isCutAlone(connection: Connection, cut: CutModel, unit: string): Promise<boolean> {
  const stamps = async (): Promise<Map<string, string>> => {
    const rows = await connection.rows<{ piece: string; stamp: string }>(currentPieces(cut));
    return new Map(rows.map(({ piece, stamp }) => [piece, stamp]));
  };
  const before = await stamps();
  const after = await connection.trial(async () => {
    await forgetLoad(connection, unit);
    return stamps();
  });
  const isSame = [...after].every(([piece, stamp]) => before.get(piece) === stamp);
  return isSame && after.size < before.size;
}

/**
 * A condition that holds for the rows of these pieces. Each column is compared by itself, too: DuckDB carries such a
 * condition down to the scans, which then leave out what belongs to other pieces.
 */
export function inPieces({ by, types }: CutModel, pieces: readonly string[]): string {
  const keys = pieces.map((piece) => JSON.parse(piece) as (string | null)[]);
  if (keys.length === 0) return 'false';
  const literal = (column: string, value: string): string => `CAST(${text(value)} AS ${types.get(column)})`;
  const each = by.map((column, index) => {
    const values = [...new Set(keys.map((key) => key[index] ?? null))];
    const present = values.filter((value) => value !== null).map((value) => literal(column, value));
    const found = present.length > 0 ? `${ident(column)} IN (${present.join(', ')})` : 'false';
    return values.includes(null) ? `(${found} OR ${ident(column)} IS NULL)` : found;
  });
  if (by.length === 1) return each.join('');
  const together = keys.map((key) =>
    by
      .map((column, index) => {
        const value = key[index] ?? null;
        return value === null ? `${ident(column)} IS NULL` : `${ident(column)} = ${literal(column, value)}`;
      })
      .join(' AND '),
  );
  return [...each, `(${together.join(' OR ')})`].join(' AND ');
}

/** A condition that holds, at least, for the rows of a table with these columns that the pieces are made from. */
export async function withinPieces(
  connection: Connection,
  cut: CutModel,
  columns: readonly string[],
  pieces: readonly string[],
): Promise<string> {
  const described = await connection.rows<{ column_name: string; column_type: string }>(
    `DESCRIBE ${bare(cut.pieces)}`,
  );
  const types = new Map(described.map((column) => [column.column_name, column.column_type]));
  const texts = columns.map((column) => `CAST(${ident(column)} AS VARCHAR) AS ${ident(column)}`).join(', ');
  const rows = await connection.rows<Record<string, string | null> & Row>(
    `SELECT DISTINCT ${texts} FROM (${bare(cut.pieces)}\n) AS made WHERE ${inPieces(cut, pieces)} ORDER BY ALL`,
  );
  const keys = (column: string): string[] => rows.map((row) => JSON.stringify([row[column]]));
  return columns.map((column) => inPieces({ ...cut, by: [column], types }, keys(column))).join(' AND ');
}

/** A SELECT of the pieces that there are to be: the key of each, and a stamp that changes with what it is made from. */
export function currentPieces({ by, pieces, types }: CutModel): string {
  const key = by.map((column) => `CAST(CAST(made.${ident(column)} AS ${types.get(column)}) AS VARCHAR)`);
  return `SELECT to_json([${key.join(', ')}])::VARCHAR AS piece,
      md5(string_agg(to_json(made)::VARCHAR, chr(10) ORDER BY to_json(made)::VARCHAR)) AS stamp
    FROM (${bare(pieces)}\n) AS made GROUP BY piece`;
}

const bare = (sql: string): string => sql.trim().replace(/;$/, '');
