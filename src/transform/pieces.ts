import { type Connection, ident, type Row, text } from '../core/duckdb.ts';
import type { PlannedModel } from './plan-models.ts';

/** A model that is made in pieces, as `planModels` gives it. */
export interface CutModel {
  readonly name: string;
  readonly by: readonly string[];
  readonly pieces: string;
  readonly types: ReadonlyMap<string, string>;
}

/** What is behind in a model that stands: pieces by their key, a JSON list of the values they are cut by, as text. */
export interface PieceChanges {
  /** To be made (again). */
  readonly behind: readonly string[];
  /** To be taken out. */
  readonly gone: readonly string[];
}

/** A model with its pieces; undefined for one that is made as a whole. */
export function cutModel({ model, pieces, outputs }: PlannedModel): CutModel | undefined {
  if (!model.incremental || pieces === null) return undefined;
  return { name: model.name, by: model.incremental.by, pieces, types: outputs };
}

/** Holds what `ops.model_pieces` says of a model against what its pieces are made from now. */
export async function changedPieces(connection: Connection, cut: CutModel): Promise<PieceChanges> {
  const rows = await connection.rows<{ piece: string; gone: boolean } & Row>(
    `SELECT coalesce(now.piece, former.piece) AS piece, now.piece IS NULL AS gone
     FROM (${currentPieces(cut)}) AS now
     FULL JOIN (FROM ops.model_pieces WHERE model = $1) AS former ON former.piece = now.piece
     WHERE now.stamp IS DISTINCT FROM former.stamp
     ORDER BY piece`,
    [cut.name],
  );
  const keys = (gone: boolean): string[] => rows.filter((row) => row.gone === gone).map((row) => row.piece);
  return { behind: keys(false), gone: keys(true) };
}

/** The pieces that a model is to have. */
export async function presentPieces(connection: Connection, cut: CutModel): Promise<string[]> {
  const rows = await connection.rows<{ piece: string }>(
    `SELECT piece FROM (${currentPieces(cut)}) ORDER BY piece`,
  );
  return rows.map((row) => row.piece);
}

/** How many pieces a model that stands is made of. */
export async function pieceCount(connection: Connection, name: string): Promise<number> {
  return Number(await connection.scalar('SELECT count(*) FROM ops.model_pieces WHERE model = $1', [name]));
}

/** Notes that these pieces, or all when absent, are made from what there is now; none of them is tested yet. */
export async function recordPieces(
  connection: Connection,
  cut: CutModel,
  changes: PieceChanges | 'all',
): Promise<void> {
  const among = (column: string): string =>
    changes === 'all'
      ? 'true'
      : `${column} IN (${[...changes.behind, ...changes.gone, ''].map(text).join(', ')})`;
  await connection.run(`DELETE FROM ops.model_pieces WHERE model = $1 AND ${among('piece')}`, [cut.name]);
  await connection.run(
    `INSERT INTO ops.model_pieces BY NAME
     SELECT $1 AS model, piece, stamp, false AS tested FROM (${currentPieces(cut)}) WHERE ${among('piece')}`,
    [cut.name],
  );
}

/** The pieces that have not passed their tests; undefined when those are most of them: then all are tested at once. */
export async function untestedPieces(connection: Connection, name: string): Promise<string[] | undefined> {
  const rows = await connection.rows<{ piece: string; tested: boolean }>(
    'SELECT piece, tested FROM ops.model_pieces WHERE model = $1 ORDER BY piece',
    [name],
  );
  const untested = rows.filter((row) => !row.tested).map((row) => row.piece);
  const few = untested.length > 0 && untested.length * 2 <= rows.length;
  return few ? untested : undefined;
}

export async function markTested(connection: Connection, name: string): Promise<void> {
  await connection.run('UPDATE ops.model_pieces SET tested = true WHERE model = $1 AND NOT tested', [name]);
}

/** Whether the pieces that a unit is part of are made from that unit only. */
export async function isCutAlone(connection: Connection, cut: CutModel, unit: string): Promise<boolean> {
  const stamps = async (): Promise<Map<string, string>> => {
    const rows = await connection.rows<{ piece: string; stamp: string }>(currentPieces(cut));
    return new Map(rows.map(({ piece, stamp }) => [piece, stamp]));
  };
  const before = await stamps();
  const after = await connection.trial(async () => {
    await connection.run('DELETE FROM ops.loads WHERE unit = ?', [unit]);
    return stamps();
  });
  const isSame = [...after].every(([piece, stamp]) => before.get(piece) === stamp);
  return isSame && after.size < before.size;
}

/** Forgets the pieces of a model that is dropped or made as a whole from now on. */
export async function forgetPieces(connection: Connection, name: string): Promise<void> {
  await connection.run('DELETE FROM ops.model_pieces WHERE model = $1', [name]);
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

/** A row for each piece that there is to be: its key, and a stamp that changes with what it is made from. */
function currentPieces({ by, pieces, types }: CutModel): string {
  const key = by.map((column) => `CAST(CAST(made.${ident(column)} AS ${types.get(column)}) AS VARCHAR)`);
  return `SELECT to_json([${key.join(', ')}])::VARCHAR AS piece,
      md5(string_agg(to_json(made)::VARCHAR, chr(10) ORDER BY to_json(made)::VARCHAR)) AS stamp
    FROM (${bare(pieces)}\n) AS made GROUP BY piece`;
}

const bare = (sql: string): string => sql.trim().replace(/;$/, '');
