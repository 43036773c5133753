import { join } from 'node:path';
import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { hashOf, keepResult } from '../../../../core/duckdb/keep-result.ts';
import { countRows, type DataTest } from '../models/data-tests.ts';
import { selectWithLoad } from '../models/load-columns.ts';
import type { Model } from '../models/model.ts';
import { orderModels } from '../models/order-models.ts';
import { badModel, type SqlPlace } from '../text/bad-model.ts';
import { replaceTables } from '../text/replace-tables.ts';
import { type SqlReferences, sqlReferences } from '../text/sql-references.ts';
import { firstWord } from '../text/sql-tree.ts';
import { checkBinds, checkCondition, checkOutput, emptyModel, type OutputColumns } from './check-output.ts';
import {
  type Inspected,
  inspectSql,
  type PlacedSql,
  referenceName,
  type Surroundings,
} from './inspect-model.ts';
import { checkDeclaredTypes, completedSource, sourceTables } from './source-tables.ts';
import { expandWildcards } from './wildcard-columns.ts';

/** A checked model, with the SQL to run. */
export interface PlannedModel {
  readonly model: Model;
  /** The model's SELECT, with NULLs for columns that its sources lack. */
  readonly sql: string;
  /** The names in `sql`. */
  readonly references: SqlReferences;
  readonly sources: ReadonlySet<string>;
  /** The models that it or the SELECT of its partitions reads. */
  readonly models: ReadonlySet<string>;
  readonly outputs: OutputColumns;
  /** The SELECT of its partitions, completed in the same way; null for a model that is built as a whole. */
  readonly partitions: string | null;
  /** The names in `partitions`. */
  readonly partitionReferences: SqlReferences | null;
  readonly partitionColumns: OutputColumns;
  readonly tests: readonly DataTest[];
  /** The other models that its tests read. */
  readonly testedWith: ReadonlySet<string>;
  /** The tables of `raw` and `ops` that its tests read directly. */
  readonly testSources: ReadonlySet<string>;
}

export interface PlanOptions {
  readonly connection: Connection;
  readonly models: readonly Model[];
  /** Where plans are kept. The next process reuses the last plan if its inputs are the same. */
  readonly stateDir?: string | undefined;
  /** What the plans of this process share, unless they are kept. */
  readonly facts?: StatementFacts | undefined;
}

/** References and outputs of the models' statements, by a hash of their inputs. */
export type StatementFacts = Map<string, unknown>;

/** A model with its parsed SQL and that of its tests. */
interface Draft {
  readonly model: Model;
  readonly seen: Inspected;
  readonly parts: readonly Inspected[];
  readonly partitions: Inspected | null;
  readonly queries: ReadonlyMap<DataTest, Inspected>;
}

/**
 * Checks all models against each other and the warehouse, and orders them for a run. Changes nothing.
 *
 * @throws CrawlhouseError `bad_model` for a model that would not run or whose output differs from its header
 */
export async function planModels(options: PlanOptions): Promise<PlannedModel[]> {
  const { connection, models, stateDir } = options;
  const present = await sourceTables(connection);
  const byName = new Map(models.map((model) => [model.name, model]));
  const make = (remember: Surroundings['remember']): Promise<PlannedModel[]> =>
    makePlan(connection, models, { present, models: byName, remember });
  if (stateDir === undefined) return await make(rememberIn(options.facts ?? new Map()));
  const file = join(stateDir, 'models.kept');
  const { told } = await keepResult<KeptPlan>({ file, inputs: { models, present } }, async (former) => {
    const facts: StatementFacts = new Map();
    const plan = await make(rememberIn(facts, former?.facts));
    return { told: plan.map(tellPlanned), facts };
  });
  const pages = told.find(({ name }) => name === 'mart.pages')?.outputs ?? new Map();
  return told.map(({ name, tests, ...rest }) => {
    const declared = byName.get(name) as Model;
    const model = declared.byPages?.complete(pages) ?? declared;
    return { ...rest, model, tests: model.tests.map((test, at) => ({ ...test, ...tests[at] })) };
  });
}

interface KeptPlan {
  readonly told: readonly ReturnType<typeof tellPlanned>[];
  readonly facts: StatementFacts;
}

function rememberIn(facts: StatementFacts, known?: StatementFacts): Surroundings['remember'] {
  return async <T>(of: readonly unknown[], work: () => Promise<T>): Promise<T> => {
    const key = hashOf(of);
    const fact = (facts.get(key) ?? known?.get(key) ?? (await work())) as T;
    facts.set(key, fact);
    return fact;
  };
}

/** Returns a planned model for the plan file, without what the files of the model contain. */
function tellPlanned({ model, tests, ...rest }: PlannedModel) {
  return { ...rest, name: model.name, tests: tests.map(({ sql, rows, shares }) => ({ sql, rows, shares })) };
}

async function makePlan(
  connection: Connection,
  models: readonly Model[],
  around: Surroundings,
): Promise<PlannedModel[]> {
  await checkDeclaredTypes(connection, models);
  const drafts = new Map<string, Draft>();
  for (const model of models) drafts.set(model.name, await draftModel(connection, model, around));

  const ordered = inOrder(drafts);
  const outputs = new Map<string, OutputColumns>();
  const plan: PlannedModel[] = [];
  for (const [at, draft] of ordered.entries()) {
    const completed = draft.model.byPages?.complete(outputs.get('mart.pages') ?? new Map());
    if (completed) ordered[at] = await draftModel(connection, completed, around);
    const { model, seen, parts, partitions, queries } = ordered[at] ?? draft;
    const own = await checkOutput(connection, model, complete(model, seen, around, outputs)).catch(
      async (error: unknown) => {
        for (const part of parts) await checkPart(connection, complete(model, part, around, outputs));
        throw error;
      },
    );
    for (const [at, part] of parts.entries())
      if (model.parts[at]?.isCondition)
        await checkCondition(connection, complete(model, part, around, outputs), true);
    outputs.set(model.name, own);
    checkWithin(model, seen, outputs);
    const partitionColumns = partitions
      ? await checkPartitions(connection, model, complete(model, partitions, around, outputs))
      : new Map();
    const whole = complete(model, seen, around);
    const keys = partitions ? complete(model, partitions, around) : null;
    plan.push({
      model,
      sql: whole.sql,
      references: await referencesOf(connection, whole, around),
      sources: seen.sources,
      models: modelsOf({ seen, partitions }),
      outputs: own,
      partitions: keys?.sql ?? null,
      partitionReferences: keys && (await referencesOf(connection, keys, around)),
      partitionColumns,
      tests: model.tests,
      testedWith: new Set([...queries.values()].flatMap((query) => [...query.models])),
      testSources: new Set([...queries.values()].flatMap((query) => [...query.sources])),
    });
  }
  // A test may read any model, so its query is bound after the outputs of all are known.
  for (const [index, { model, queries }] of ordered.entries()) {
    const planned = plan[index];
    if (!planned || queries.size === 0) continue;
    const tests = new Map(model.tests.map((test) => [test, test]));
    for (const [test, seen] of queries) {
      await checkBinds(connection, complete(model, seen, around, outputs));
      const { sql: query } = complete(model, seen, around);
      tests.set(test, { ...test, sql: countRows(query), rows: query });
    }
    plan[index] = { ...planned, tests: [...tests.values()] };
  }
  // Texts that a collation treats as equal have different hashes.
  if (!models.some(({ sql }) => /\bcollate\b/i.test(sql))) return plan;
  return plan.map((planned) => ({
    ...planned,
    tests: planned.tests.map((test) => ({ ...test, shares: null })),
  }));
}

async function draftModel(connection: Connection, model: Model, around: Surroundings): Promise<Draft> {
  const start = { file: model.file, line: model.sqlLine };
  const parts: Inspected[] = [];
  for (const { sql, place } of model.parts)
    parts.push(await inspectSql(connection, model, { sql, start: place }, around));
  const sql = selectWithLoad(model, expandWildcards(model, around.present));
  const seen = await inspectSql(connection, model, { sql, start }, around);
  const queries = new Map<DataTest, Inspected>();
  for (const test of model.tests) {
    if (test.query === null) continue;
    const start = blockStart(model, [...test.path, 'query'], test.query);
    queries.set(test, await inspectSql(connection, model, { sql: test.query, start }, around));
  }
  let partitions: Inspected | null = null;
  if (model.incremental !== null) {
    const sql = model.incremental.partitions;
    const start = blockStart(model, ['incremental', 'partitions'], sql);
    partitions = await inspectSql(connection, model, { sql, start }, around);
  }
  const inspected = [seen, ...(partitions ? [partitions] : []), ...queries.values()];
  for (const source of model.reads.keys()) {
    if (inspected.some(({ sources }) => sources.has(source))) continue;
    const place = { file: model.file, line: model.lineOf(['reads', source]) };
    throw badModel(place, `reads declares ${source}, which the SQL does not read`);
  }
  return { model, seen, parts, partitions, queries };
}

function referencesOf(
  connection: Connection,
  { sql, start }: PlacedSql,
  around: Surroundings,
): Promise<SqlReferences> {
  return around.remember(['names', sql], () => sqlReferences(connection, sql, start));
}

/** Finds the faulty file where SQL that was assembled from several files does not bind. */
async function checkPart(connection: Connection, placed: PlacedSql): Promise<void> {
  const columns = await checkBinds(connection, placed);
  const missing = ['crawl_id', 'project_id', 'url', 'why'].find((name) => !columns.has(name));
  if (missing === undefined) return;
  const hint = 'SELECT crawl_id, project_id, url, … AS why';
  throw badModel(firstWord(placed.sql, placed.start), `the SELECT returns no column ${missing}`, hint);
}

/** Checks that the model reads the models under `within`, and that they have the columns of the partial reads. */
function checkWithin(model: Model, seen: Inspected, outputs: ReadonlyMap<string, OutputColumns>): void {
  const { by, within } = model.incremental ?? { by: [], within: {} };
  for (const [name, columns] of Object.entries(within)) {
    const place = { file: model.file, line: model.lineOf(['incremental', 'within']) };
    if (!seen.models.has(name)) {
      // A file of a project may replace the part that read it.
      if (model.parts.length > 0) continue;
      const hint = `models that it reads: ${[...seen.models].join(', ')}`;
      throw badModel(place, `within names ${name}, which the SQL does not read`, hint);
    }
    const missing = (columns ?? by).find((column) => !outputs.get(name)?.has(column));
    if (missing !== undefined) throw badModel(place, `within names ${name}, which has no column ${missing}`);
  }
}

/** Checks that the SELECT of the partitions binds and names the partition columns. */
async function checkPartitions(
  connection: Connection,
  model: Model,
  placed: PlacedSql,
): Promise<OutputColumns> {
  const columns = await checkBinds(connection, placed);
  const { by, within } = model.incremental ?? { by: [], within: {} };
  for (const column of [...by, ...Object.values(within).flatMap((own) => own ?? [])]) {
    if (columns.has(column)) continue;
    const hint = `it returns ${[...columns.keys()].join(', ')}`;
    throw badModel(placed.start, `the SELECT of the partitions returns no column ${column}`, hint);
  }
  return columns;
}

/** Returns where SQL in the header begins. SQL of several lines is a block under its key. */
function blockStart(model: Model, path: readonly PropertyKey[], sql: string): SqlPlace {
  return { file: model.file, line: model.lineOf(path) + (sql.includes('\n') ? 1 : 0) };
}

function modelsOf({ seen, partitions }: Pick<Draft, 'seen' | 'partitions'>): ReadonlySet<string> {
  return new Set([...seen.models, ...(partitions?.models ?? [])]);
}

function inOrder(drafts: ReadonlyMap<string, Draft>): Draft[] {
  const result = orderModels(new Map([...drafts].map(([name, draft]) => [name, modelsOf(draft)])));
  if ('circle' in result) {
    const model = drafts.get(result.circle[0] ?? '')?.model;
    const place = { file: model?.file ?? 'sql', line: model?.lineOf(['name']) ?? 1 };
    throw badModel(place, `reads itself in a circle: ${result.circle.join(' → ')}`);
  }
  return result.order.flatMap((name) => drafts.get(name) ?? []);
}

/**
 * Returns SQL that uses NULL for columns that are missing from its sources.
 *
 * @param empty models that need not be built, because empty relations replace them
 */
function complete(
  model: Model,
  { sql, start, references }: Inspected,
  around: Surroundings,
  empty: ReadonlyMap<string, OutputColumns> = new Map(),
): PlacedSql {
  const tables: unknown[] = [];
  const completed = replaceTables(sql, references, (reference) => {
    const name = referenceName(reference);
    const columns = empty.get(name);
    if (columns) return emptyModel(columns);
    const present = around.present.get(name);
    tables.push([name, [...(present?.values() ?? [])].map((column) => [column.name, column.type])]);
    const declared = model.reads.get(name);
    return declared && completedSource(name, declared, present);
  });
  return { sql: completed, start, remember: (work) => around.remember([completed, tables], work) };
}
