import { createHash } from 'node:crypto';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import { loadVersions } from '../../../state/catalogue/ops/ops-loads.ts';

/** Changes when anything does that the model is made of: its SQL, its kind, its words, its tests. */
export function fingerprint({ model, sql, tests }: PlannedModel): string {
  const parts = [
    model.kind,
    sql,
    model.description,
    [...model.columns],
    tests.map((test) => [test.severity, test.sql]),
    model.incremental,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Changes when the rows of a model would, from the same data: its SQL, that of the models it reads, a type that one of
 * them puts out. A declared column that a source has now and had not before changes no row of before.
 */
export function definitionOf(
  { model, models, outputs }: PlannedModel,
  definitions: ReadonlyMap<string, string>,
): string {
  // A field under a wildcard changes no model that reads this one: none can name it before it is there.
  const declared = [...outputs].filter(([name]) => model.columns.has(name));
  const reads = [...model.reads].map(([source, columns]) => [source, [...columns]]);
  const parts = [
    [model.kind, model.sql, reads, model.each, model.incremental, declared],
    [...models].map((name) => `${name} ${definitions.get(name) ?? ''}`).sort(),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * A short stamp of a model's inputs: the versions of its sources and the stamps of the models it reads. It is stored
 * with the model, so that a run after a kill knows the models that are behind.
 */
export function madeFrom(
  { sources, models }: PlannedModel,
  versions: SourceVersions,
  stamps: ReadonlyMap<string, string>,
): string {
  const parts = [
    ...[...sources].map((source) => `${source} ${versions.of(source)}`),
    ...[...models].map((name) => `${name} ${stamps.get(name) ?? ''}`),
  ];
  return createHash('sha256').update(parts.sort().join('\n')).digest('hex');
}

/** A short stamp of all loads so far. */
interface SourceVersions {
  /** Of a table of `raw` or `ops`. */
  readonly of: (source: string) => string;
  /** Of anything. */
  readonly all: string;
}

export async function sourceVersions(connection: Connection): Promise<SourceVersions> {
  const versions = await loadVersions(connection);
  const all = createHash('md5')
    .update([...versions.values()].join())
    .digest('hex');
  // Every load writes into `ops`.
  const of = (source: string): string =>
    source.startsWith('ops.') ? all : (versions.get(source.replace('raw.', '')) ?? '');
  return { of, all };
}
