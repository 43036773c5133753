import { performance } from 'node:perf_hooks';
import { type Connection, ident, table, text } from '../core/duckdb.ts';
import { martObjects } from '../warehouse/catalog.ts';
import {
  changedPieces,
  forgetPieces,
  type PieceChanges,
  recordPieces,
} from '../warehouse/ops-model-pieces.ts';
import { type BuildStamp, forgetModel, recordBuild } from '../warehouse/ops-models.ts';
import type { Build } from './decide-build.ts';
import { referenceName } from './inspect-model.ts';
import type { Model } from './model.ts';
import { modelError } from './model-error.ts';
import { type CutModel, currentPieces, cutModel, inPieces, presentPieces, withinPieces } from './pieces.ts';
import type { PlannedModel } from './plan-models.ts';
import { replaceTables } from './replace-tables.ts';
import { parseSelect } from './sql-tree.ts';

export interface BuildOptions {
  readonly signal?: AbortSignal | undefined;
  /** Runs in the same transaction. */
  readonly onChange?: (() => Promise<void>) | undefined;
}

/**
 * Brings a model to where it is to be: as a whole or piece by piece, with its comments, its line in `ops.models` and
 * its pieces in `ops.model_pieces`, in one transaction.
 */
export async function buildModel(
  connection: Connection,
  planned: PlannedModel,
  build: Exclude<Build, { how: 'none' }>,
  stamp: BuildStamp,
  { signal, onChange }: BuildOptions = {},
): Promise<number | null> {
  const rows = await connection.transaction(async () => {
    const { model } = planned;
    const cut = cutModel(planned);
    // A view shows new rows by itself, but its tests have to be run on them.
    const viewOfPieces =
      cut && model.kind === 'view' && (build.reason === 'sources' || build.reason === 'models');
    const changes = viewOfPieces
      ? await changedPieces(connection, cut.name, currentPieces(cut))
      : piecesOf(build);
    if (build.how === 'full') await dropOtherKind(connection, model);
    const made =
      build.how === 'pieces' && cut
        ? await replacePieces(connection, planned, cut, build.changes, signal)
        : await create(connection, planned, cut, signal);
    if (cut) await recordPieces(connection, cut.name, currentPieces(cut), changes);
    else await forgetPieces(connection, model.name);
    for (const comment of comments(model)) await connection.run(comment);
    await recordBuild(connection, model, made, stamp);
    await onChange?.();
    return made;
  });
  return rows === null ? null : Number(rows);
}

/** Drops what an earlier run made of a model that is no longer under `sql/`. */
export async function dropModel(
  connection: Connection,
  name: string,
  onChange?: () => Promise<void>,
): Promise<void> {
  await connection.transaction(async () => {
    const kind = (await martObjects(connection)).get(name);
    if (kind) await connection.run(`DROP ${kind} ${table(...name.split('.'))}`);
    await forgetModel(connection, name);
    await forgetPieces(connection, name);
    await onChange?.();
  });
}

/** Which pieces a build makes anew; new words are new tests, which every piece has to pass. */
function piecesOf(build: Build): PieceChanges | 'all' {
  return build.how === 'pieces' && build.reason === 'pieces' ? build.changes : 'all';
}

/** Takes out what is behind or gone and puts in what is to be there; the rows that the table then has. */
async function replacePieces(
  connection: Connection,
  planned: PlannedModel,
  cut: CutModel,
  { behind, gone }: PieceChanges,
  signal?: AbortSignal,
): Promise<bigint> {
  const name = table(...planned.model.name.split('.'));
  return await running(planned.model, async () => {
    await connection.run(`DELETE FROM ${name} WHERE ${inPieces(cut, [...behind, ...gone])}`, [], signal);
    await insertPieces(connection, planned, cut, behind, signal);
    return (await connection.scalar(`SELECT count(*) FROM ${name}`)) as bigint;
  });
}

/** Adds the rows of pieces, some at a time where the model says what a piece is made from; how many rows. */
async function insertPieces(
  connection: Connection,
  { model, sql, outputs }: PlannedModel,
  cut: CutModel,
  pieces: readonly string[],
  signal?: AbortSignal,
): Promise<bigint> {
  const columns = [...outputs.keys()].map(ident).join(', ');
  const insert = `INSERT INTO ${table(...model.name.split('.'))} (${columns})`;
  let count = hasWithin(model) ? 1 : pieces.length;
  let former: Timed | undefined;
  let rows = 0n;
  for (let start = 0; start < pieces.length; ) {
    const some = pieces.slice(start, start + count);
    const startedAt = performance.now();
    const narrow = await narrowed(connection, sql, model, cut, some);
    const made = `SELECT ${columns} FROM (${narrow}\n) WHERE ${inPieces(cut, some)}`;
    rows += await connection.run(`${insert} ${made}`, [], signal);
    start += some.length;
    const timed = { count, milliseconds: performance.now() - startedAt };
    count = nextCount(timed, former);
    former = timed;
  }
  return rows;
}

/** How long a statement took that made so many pieces. */
interface Timed {
  readonly count: number;
  readonly milliseconds: number;
}

/**
 * How many pieces the next statement makes: what a statement costs beside its pieces is to be shared by many, and what
 * large pieces need at once is to stay small. So twice as many, unless they take longer for it and half a second.
 */
export function nextCount({ count, milliseconds }: Timed, former: Timed | undefined): number {
  const isLonger =
    former !== undefined && (count <= former.count || milliseconds > former.milliseconds * 1.5);
  if (milliseconds < 500 || !isLonger) return count * 2;
  return milliseconds > 1000 ? Math.max(1, Math.floor(count / 2)) : count;
}

/** Whether a model says what its pieces are made from, so that some of them cost what they weigh. */
function hasWithin({ incremental }: Model): boolean {
  return Object.keys(incremental?.within ?? {}).length > 0;
}

/**
 * Makes a model anew; the rows of a table, none of a view until it is read. A table that says what its pieces are made
 * from is made some pieces at a time: in one go it would join and sort all of the warehouse.
 */
async function create(
  connection: Connection,
  planned: PlannedModel,
  cut: CutModel | undefined,
  signal?: AbortSignal,
): Promise<bigint | null> {
  const { model, sql } = planned;
  const anew = `CREATE OR REPLACE ${model.kind} ${table(...model.name.split('.'))} AS`;
  return await running(model, async () => {
    if (model.kind === 'view') {
      await connection.run(`${anew} ${sql}`, [], signal);
      return null;
    }
    const pieces = cut && hasWithin(model) ? await presentPieces(connection, cut) : [];
    if (!cut || pieces.length < 2) return connection.run(`${anew} ${sql}`, [], signal);
    await connection.run(`${anew} FROM (${sql}\n) WHERE false`, [], signal);
    return insertPieces(connection, planned, cut, pieces, signal);
  });
}

/** The SQL with a condition on the models that are read only as far as the pieces reach. */
async function narrowed(
  connection: Connection,
  sql: string,
  { file, sqlLine, incremental }: Model,
  cut: CutModel,
  behind: readonly string[],
): Promise<string> {
  const conditions = new Map<string, string>();
  for (const [name, columns] of Object.entries(incremental?.within ?? {})) {
    const condition = columns && (await withinPieces(connection, cut, columns, behind));
    conditions.set(name, condition ?? inPieces(cut, behind));
  }
  if (conditions.size === 0) return sql;
  const tree = await parseSelect(connection, sql, { file, line: sqlLine });
  return replaceTables(sql, tree, (reference) => {
    const name = referenceName(reference);
    const condition = conditions.get(name);
    return condition && `SELECT * FROM ${table(...name.split('.'))} WHERE ${condition}`;
  });
}

/** Says of what fails while a model runs which file it is. */
async function running<T>(model: Model, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw modelError(model, error, 'made');
  }
}

async function dropOtherKind(connection: Connection, model: Model): Promise<void> {
  const kind = (await martObjects(connection)).get(model.name);
  if (kind && kind !== model.kind) await connection.run(`DROP ${kind} ${table(...model.name.split('.'))}`);
}

function comments(model: Model): string[] {
  const name = table(...model.name.split('.'));
  return [
    `COMMENT ON ${model.kind} ${name} IS ${text(model.description.trim())}`,
    ...[...model.columns].map(
      ([column, description]) => `COMMENT ON COLUMN ${name}.${ident(column)} IS ${text(description.trim())}`,
    ),
  ];
}
