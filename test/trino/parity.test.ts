import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ident, table } from '../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../src/core/duckdb/table-columns.ts';
import { literal } from '../../src/etl/engines/trino/client/literal.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { translateModel, translateSql } from '../../src/etl/engines/trino/trino-dialect.ts';
import { loadModels } from '../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { type PlannedModel, planModels } from '../../src/etl/project/sql/plan/plan-models.ts';
import { bindQuestion } from '../../src/etl/project/sql/questions/bind-question.ts';
import { replaceParameters } from '../../src/etl/project/sql/questions/question-parameters.ts';
import { loadQuestions, type Question } from '../../src/etl/project/sql/questions/questions.ts';
import { openWarehouse, type TestWarehouse } from '../etl/pipeline/transform/test-warehouse.ts';
import { ALL_SITES } from '../questions/sites/all-sites.ts';
import { buildModels, loadSites, SQL } from '../questions/sites/load-sites.ts';
import { ALL_ROUNDS } from '../support/random.ts';
import { copyToTrino } from './copy-to-trino.ts';
import { rowsOfDuckDB, rowsOfTrino, SESSION } from './rows-of-both.ts';

// The raw tables of the adversarial sites, as Parquet under Iceberg; all models of them, made on Trino alone. By day
// query.test.ts asks the questions, of models with the same rows.

const models = await loadModels([sqlFolder(SQL)]);
const questions = await loadQuestions([sqlFolder(SQL)]);
/** The whole answer, and one of few rows. */
const GIVEN = [{}, { project: 'p-h', segment: '/many/', limit: '7' }];

const trino = inject('trino');
const client = new TrinoClient({ url: trino.url, user: 'parity', catalog: trino.catalog });
let warehouse: TestWarehouse;
/** The columns of each model, without those that a build adds. */
let columns: ReadonlyMap<string, string>;
/** Why a model was not made, by its name. */
const failures = new Map<string, unknown>();

beforeAll(async () => {
  warehouse = await openWarehouse();
  const { connection } = warehouse;
  await loadSites(connection, ALL_SITES);
  const plan = await planModels({ connection, models });
  columns = new Map(plan.map(({ model, outputs }) => [model.name, listOf([...outputs.keys()])]));
  await makeSchemas();
  const sources = new Set(plan.flatMap((planned) => [...planned.sources]));
  for (const [name, of] of await tableColumns(connection, ['raw', 'ops']))
    if (sources.has(name)) await copyToTrino({ ...warehouse, client, trino }, name, of);
  for (const planned of plan)
    await makeOnTrino(planned).catch((error: unknown) => failures.set(planned.model.name, error));
  await buildModels(connection, SQL);
}, 1_800_000);

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

function listOf(outputs: readonly string[]): string {
  const own = outputs.filter((column) => !['_load_id', '_loaded_at'].includes(column));
  return own.map((column) => ident(column)).join(', ');
}

async function makeSchemas(): Promise<void> {
  for (const schema of ['raw', 'ops', 'mart']) {
    await client.run(`DROP SCHEMA IF EXISTS ${ident(schema)} CASCADE`);
    await client.run(`CREATE SCHEMA ${ident(schema)}`);
  }
}

/** A view is read many times by others, so that it is computed once, and read from a table. */
async function makeOnTrino({ model, sql, outputs }: PlannedModel): Promise<void> {
  const name = table(...model.name.split('.'));
  await client.run(`CREATE ${model.kind} ${name} AS ${translateModel(sql, outputs)}`, { session: SESSION });
  if (model.kind === 'table') return;
  const rows = table('mart', `rows of ${model.name}`);
  await client.run(`CREATE TABLE ${rows} AS SELECT * FROM ${name}`, { session: SESSION });
  await client.run(`CREATE OR REPLACE VIEW ${name} AS SELECT * FROM ${rows}`);
}

describe('models', () => {
  test.each(models)('$name has the same rows', async ({ name }) => {
    if (failures.has(name)) throw failures.get(name);
    const all = `SELECT ${columns.get(name)} FROM ${table(...name.split('.'))}`;
    const own = await rowsOfDuckDB(warehouse.connection, all);
    expect((await rowsOfTrino(client, all)).sort()).toEqual(own.sort());
  });
});

describe.runIf(ALL_ROUNDS)('questions', () => {
  test.each(questions)('$name has the same answers in the same order', async (question) => {
    for (const given of GIVEN) {
      const sql = asked(question, given);
      expect(await rowsOfTrino(client, translateSql(sql))).toEqual(
        await rowsOfDuckDB(warehouse.connection, sql),
      );
    }
  });
});

/** The SQL of a question with values in it, of those that it takes. */
function asked(question: Question, given: Readonly<Record<string, string>>): string {
  const names = question.parameters.map(({ name }) => name);
  const own = Object.entries(given).filter(([name]) => names.includes(name));
  const { sql, parameters } = bindQuestion(question, new Map(own));
  return replaceParameters(sql, (name) => literal(parameters.get(name) ?? null));
}
