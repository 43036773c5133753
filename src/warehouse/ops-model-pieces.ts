import { type Connection, type Row, text } from '../core/duckdb.ts';

/** What is behind in a model that stands: pieces by their key, a JSON list of the values they are cut by, as text. */
export interface PieceChanges {
  /** To be made (again). */
  readonly behind: readonly string[];
  /** To be taken out. */
  readonly gone: readonly string[];
}

/**
 * Compares what a model's pieces were made from with what they are made from now.
 *
 * @param current SELECT of `piece` and `stamp`, a row for each piece that there is to be
 */
export async function changedPieces(
  connection: Connection,
  model: string,
  current: string,
): Promise<PieceChanges> {
  const rows = await connection.rows<{ piece: string; gone: boolean } & Row>(
    `SELECT coalesce(now.piece, former.piece) AS piece, now.piece IS NULL AS gone
     FROM (${current}) AS now
     FULL JOIN (FROM ops.model_pieces WHERE model = $1) AS former ON former.piece = now.piece
     WHERE now.stamp IS DISTINCT FROM former.stamp
     ORDER BY piece`,
    [model],
  );
  const keys = (gone: boolean): string[] => rows.filter((row) => row.gone === gone).map((row) => row.piece);
  return { behind: keys(false), gone: keys(true) };
}

/** How many pieces a model is made of. */
export async function pieceCount(connection: Connection, model: string): Promise<number> {
  return Number(await connection.scalar('SELECT count(*) FROM ops.model_pieces WHERE model = $1', [model]));
}

/** Records that the changed pieces, or all, are made from what there is now; none of them is tested yet. */
export async function recordPieces(
  connection: Connection,
  model: string,
  current: string,
  changes: PieceChanges | 'all',
): Promise<void> {
  const among =
    changes === 'all'
      ? 'true'
      : `piece IN (${[...changes.behind, ...changes.gone, ''].map(text).join(', ')})`;
  await connection.run(`DELETE FROM ops.model_pieces WHERE model = $1 AND ${among}`, [model]);
  await connection.run(
    `INSERT INTO ops.model_pieces BY NAME
     SELECT $1 AS model, piece, stamp, false AS tested FROM (${current}) WHERE ${among}`,
    [model],
  );
}

/** The pieces that have not passed their tests; undefined when those are most of them: then all are tested at once. */
export async function untestedPieces(connection: Connection, model: string): Promise<string[] | undefined> {
  const rows = await connection.rows<{ piece: string; tested: boolean }>(
    'SELECT piece, tested FROM ops.model_pieces WHERE model = $1 ORDER BY piece',
    [model],
  );
  const untested = rows.filter((row) => !row.tested).map((row) => row.piece);
  const few = untested.length > 0 && untested.length * 2 <= rows.length;
  return few ? untested : undefined;
}

/** Records that all pieces of a model have passed their tests. */
export async function recordPiecesTested(connection: Connection, model: string): Promise<void> {
  await connection.run('UPDATE ops.model_pieces SET tested = true WHERE model = $1 AND NOT tested', [model]);
}

/** Removes the pieces of a model that is dropped or made as a whole from now on. */
export async function forgetPieces(connection: Connection, model: string): Promise<void> {
  await connection.run('DELETE FROM ops.model_pieces WHERE model = $1', [model]);
}
