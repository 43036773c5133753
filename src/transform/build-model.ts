import { performance } from 'node:perf_hooks';
import { type Connection, ident, table, text } from '../core/duckdb.ts';
import { toCrawlhouseError } from '../core/errors.ts';
import { badModel } from './bad-model.ts';
import type { Model } from './model.ts';
import { martObjects } from './model-state.ts';
import type { PlannedModel } from './plan-models.ts';
import { firstWord } from './sql-tree.ts';

export interface BuildStamp {
  readonly fingerprint: string;
  /** Versions of what it reads. */
  readonly sources: string;
  readonly runId: string;
}

export interface BuildOptions {
  readonly signal?: AbortSignal | undefined;
  /** Runs in the same transaction. */
  readonly onChange?: (() => Promise<void>) | undefined;
}

/** Makes a model anew, with its comments and its line in `ops.models`, in one transaction. */
export async function buildModel(
  connection: Connection,
  { model, sql }: PlannedModel,
  stamp: BuildStamp,
  { signal, onChange }: BuildOptions = {},
): Promise<{ rows: number | null; seconds: number }> {
  const started = performance.now();
  const rows = await connection.transaction(async () => {
    await dropOtherKind(connection, model);
    const made = await create(connection, model, sql, signal);
    for (const comment of comments(model)) await connection.run(comment);
    await connection.run('DELETE FROM ops.models WHERE name = $1', [model.name]);
    await connection.run(
      `INSERT INTO ops.models BY NAME SELECT $1 AS name, $2 AS kind, $3 AS fingerprint, $4 AS sources,
         $5::BIGINT AS rows, now() AS built_at, $6 AS run_id`,
      [model.name, model.kind, stamp.fingerprint, stamp.sources, made, stamp.runId],
    );
    await onChange?.();
    return made;
  });
  return { rows: rows === null ? null : Number(rows), seconds: (performance.now() - started) / 1000 };
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
    await connection.run('DELETE FROM ops.models WHERE name = $1', [name]);
    await onChange?.();
  });
}

/** The rows of a table; a view has none until it is read. */
async function create(
  connection: Connection,
  model: Model,
  sql: string,
  signal?: AbortSignal,
): Promise<bigint | null> {
  try {
    const name = table(...model.name.split('.'));
    const made = await connection.run(`CREATE OR REPLACE ${model.kind} ${name} AS ${sql}`, [], signal);
    return model.kind === 'table' ? made : null;
  } catch (error) {
    const known = toCrawlhouseError(error);
    if (known.code !== 'internal') throw known;
    const place = firstWord(model.sql, { file: model.file, line: model.sqlLine });
    const hint = /out of memory/i.test(known.message) ? 'give the setting memory_limit more' : undefined;
    throw badModel(place, `${model.name} could not be made: ${known.message}`, hint, error);
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
