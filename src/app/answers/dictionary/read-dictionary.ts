import { type Connection, Database, type DuckdbSettings } from '../../../core/duckdb/duckdb.ts';
import { tableColumns } from '../../../core/duckdb/table-columns.ts';
import type { ModelSettings } from '../../../etl/engines/project-models.ts';
import { isInCatalog } from '../../../etl/engines/registry.ts';
import {
  compileQuestions,
  type QuestionSettings,
} from '../../../etl/pipeline/transform/tests/compile-questions.ts';
import type { Pipeline } from '../../../etl/project/model/pipeline.ts';
import { loadModels } from '../../../etl/project/sql/models/load-models.ts';
import type { Model } from '../../../etl/project/sql/models/model.ts';
import { type SqlSettings, sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { type ColumnLineage, columnLineage } from '../../../etl/project/sql/plan/column-lineage.ts';
import { describedColumn, isWildcard } from '../../../etl/project/sql/plan/wildcard-columns.ts';
import { sqlReferences } from '../../../etl/project/sql/text/sql-references.ts';
import { recordedFacts, tableFacts } from '../../../etl/state/catalog/catalog.ts';
import { publishedAt } from '../../../etl/state/catalog/ops/ops-publication.ts';
import { lastTestResults } from '../../../etl/state/catalog/ops/ops-test-results.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import type { Dictionary, DictionaryColumn, DictionaryTable } from './dictionary.ts';
import type { Reads } from './lineage-drawing.ts';

export type DictionarySettings = QuestionSettings & ModelSettings;

/**
 * Collects the documentation of tables from models, pipelines and questions. If a warehouse is published, adds its
 * types, row counts, tables of `raw` and `ops`, and last test results.
 *
 * @throws CrawlhouseError `bad_model`
 */
export async function readDictionary(
  settings: DictionarySettings,
  pipelines: readonly Pipeline[],
  { published }: { readonly published: boolean },
): Promise<Dictionary> {
  const sql = sqlFolders(settings);
  const models = await loadModels(sql);
  const questions = await compileQuestions(settings, models);
  const inCatalog = isInCatalog(settings);
  const found = published
    ? await readPublished(settings, (connection) => readWarehouse(connection, inCatalog))
    : undefined;
  await using database = await Database.openIn(settings);
  const parser = await database.connect();
  const tables: DictionaryTable[] = [];
  const lineage = await columnLineage(parser, models);
  for (const model of models) {
    const sources = lineage.get(model.name);
    tables.push(modelTable(model, await readsOf(parser, model), sources, found));
  }
  const named = new Map(pipelines.map((pipeline) => [`raw.${pipeline.dataset}`, pipeline.description]));
  for (const name of found?.columns.keys() ?? []) {
    if (!name.startsWith('mart.')) tables.push(plainTable(name, named.get(name) ?? null, found as Warehouse));
  }
  return {
    publishedAt: found?.publishedAt ?? null,
    tables: tables.sort((a, b) => (a.name < b.name ? -1 : 1)),
    questions: await Promise.all(
      questions.map(async (question) => ({
        name: question.name,
        title: question.title,
        description: question.description.trim(),
        parameters: question.parameters,
        sql: question.sql,
        reads: await readsOf(parser, question),
      })),
    ),
  };
}

export async function modelReads(settings: SqlSettings & DuckdbSettings): Promise<Reads> {
  await using database = await Database.openIn(settings);
  const parser = await database.connect();
  const reads = new Map<string, readonly string[]>();
  for (const model of await loadModels(sqlFolders(settings)))
    reads.set(model.name, await readsOf(parser, model));
  return reads;
}

/** Returns the columns of `raw` and `ops` that each column of each model is computed from. */
export async function modelLineage(settings: SqlSettings & DuckdbSettings): Promise<ColumnLineage> {
  await using database = await Database.openIn(settings);
  return await columnLineage(await database.connect(), await loadModels(sqlFolders(settings)));
}

async function readsOf(
  connection: Connection,
  { sql, file, sqlLine }: Pick<Model, 'sql' | 'file' | 'sqlLine'>,
): Promise<string[]> {
  const { tables } = await sqlReferences(connection, sql, { file, line: sqlLine });
  const names = tables.filter(({ schema }) => schema !== '').map(({ schema, name }) => `${schema}.${name}`);
  return [...new Set(names)].sort();
}

type Warehouse = Awaited<ReturnType<typeof readWarehouse>>;

/** @param inCatalog whether the file contains the rows; if not, `ops` contains the row counts */
async function readWarehouse(connection: Connection, inCatalog: boolean) {
  const results = await lastTestResults(connection);
  return {
    publishedAt: await publishedAt(connection),
    columns: await tableColumns(connection, ['raw', 'mart', 'ops']),
    facts: inCatalog ? await tableFacts(connection) : await recordedFacts(connection),
    results: new Map(results.map(({ model, ...result }) => [`${model} ${result.name}`, result])),
  };
}

function modelTable(
  model: Model,
  reads: readonly string[],
  sources: ReadonlyMap<string, readonly string[]> | undefined,
  found: Warehouse | undefined,
): DictionaryTable {
  const types = new Map(found?.columns.get(model.name)?.map(({ name, type }) => [name, type]));
  const names = [...model.columns.keys()].flatMap((name) => {
    const behind = [...types.keys()].filter((key) => isWildcard(name) && key.startsWith(name.slice(0, -1)));
    return behind.length > 0 ? behind : [name];
  });
  const columns = names.map(
    (name): DictionaryColumn => ({
      name,
      description: describedColumn(model, name) ?? '',
      type: types.get(name) ?? null,
      sources: sources?.get(name) ?? [],
    }),
  );
  const untested = { status: null, failures: null, testedAt: null };
  return {
    name: model.name,
    kind: model.kind,
    description: model.description,
    grain: model.grain,
    columns,
    reads,
    tests: model.tests.map(
      ({ name, severity }) => found?.results.get(`${model.name} ${name}`) ?? { name, severity, ...untested },
    ),
    sql: model.sql.trim(),
    file: model.file,
    rows: model.kind === 'table' ? (found?.facts.get(model.name)?.rows ?? null) : null,
  };
}

function plainTable(name: string, words: string | null, found: Warehouse): DictionaryTable {
  const columns = (found.columns.get(name) ?? []).map((column) => ({
    name: column.name,
    type: column.type,
    description: column.comment,
    sources: [],
  }));
  const kind = name.startsWith('raw.') ? 'source' : 'operations';
  const { comment = null, rows = null } = found.facts.get(name) ?? {};
  const description = words ?? comment;
  return { name, kind, description, grain: null, columns, reads: [], tests: [], sql: null, file: null, rows };
}
