import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../../src/etl/project/sql/questions/questions.ts';
import { askQuestion } from '../../../support/ask-question.ts';
import { runModels } from '../../../support/run-models.ts';
import { fillWarehouse } from '../../../support/synthetic-warehouse.ts';
import { GRAINS } from './grains.ts';
import { openWarehouse, type TestWarehouse } from './test-warehouse.ts';

// What holds of each question and of each model without a grain of its own, on made sites of two projects.

const folders = [sqlFolder(join(import.meta.dirname, '../../../../sql'))];
const questions = await loadQuestions(folders);
const models = await loadModels(folders);
const taking = (parameter: string) =>
  questions.filter(({ parameters }) => parameters.some(({ name }) => name === parameter));

type Rows = readonly Record<string, unknown>[];

let warehouse: TestWarehouse;
const answers = new Map<string, Rows>();

beforeAll(async () => {
  warehouse = await openWarehouse();
  const { connection } = warehouse;
  await fillWarehouse(connection, {
    projects: 2,
    crawls: 2,
    pages: 1600,
    links: 4000,
    days: 35,
    hits: 7000,
    rankings: 7000,
  });
  await runModels({ connection, models, changed: 'all', runId: 'r', logger: silentLogger });
  for (const question of questions) answers.set(question.name, await askQuestion(connection, question));
});

afterAll(() => warehouse?.[Symbol.asyncDispose]());

test.for(Object.entries(GRAINS))('%s has one row for each %s', async ([model, grain]) => {
  const columns = grain.join(', ');
  const { connection } = warehouse;
  expect(Number(await connection.scalar(`SELECT count(*) FROM ${model}`))).toBeGreaterThan(0);
  const twice = `SELECT ${columns} FROM ${model} GROUP BY ${columns} HAVING count(*) > 1 LIMIT 3`;
  expect(await connection.jsonRows(twice)).toEqual([]);
});

const withColumns = (...names: string[]): string[] =>
  models.filter(({ columns }) => names.every((name) => columns.has(name))).map(({ name }) => name);

test.for([
  ...withColumns('crawl_id', 'url').map((model) => [model, 'page_key', 'crawl_id'] as const),
  ...withColumns('project_id', 'url').map((model) => [model, 'url_key', 'project_id'] as const),
])('%s has %s, made of %s and the URL', async ([model, key, identifier]) => {
  const wrong = `${key} IS DISTINCT FROM ${identifier} || ' ' || url`;
  const { connection } = warehouse;
  expect(await connection.jsonRows(`SELECT ${key} FROM ${model} WHERE ${wrong} LIMIT 3`)).toEqual([]);
});

const projectOf = (row: Record<string, unknown>): unknown => row.project_name;

test.for(taking('project').map(({ name }) => name))(
  '%s returns the same rows of a project when filtered by name or identifier',
  async (name) => {
    const question = questions.find((one) => one.name === name) ?? expect.fail();
    const { connection } = warehouse;
    const own = (answers.get(name) ?? []).filter((row) => projectOf(row) === 'Project 1');
    for (const project of ['Project 1', 'p1'])
      expect(await askQuestion(connection, question, { project })).toEqual(own);
    expect(await askQuestion(connection, question, { project: 'nobody' })).toEqual([]);
  },
);

test.for(taking('limit').map(({ name }) => name))('%s is limited within each project', async (name) => {
  const question = questions.find((one) => one.name === name) ?? expect.fail();
  const limited = await askQuestion(warehouse.connection, question, { limit: '2' });
  const all = answers.get(name) ?? [];
  const texts = new Set(all.map((row) => JSON.stringify(row)));
  expect(limited.filter((row) => !texts.has(JSON.stringify(row)))).toEqual([]);
  for (const project of ['Project 0', 'Project 1']) {
    const count = (rows: Rows): number => rows.filter((row) => projectOf(row) === project).length;
    expect(count(limited)).toBe(Math.min(2, count(all)));
  }
  expect(await askQuestion(warehouse.connection, question, { limit: '0' })).toEqual([]);
});

/** The segments of a row, as far as the answer writes them. */
function segmentsOf(row: Record<string, unknown>): unknown[] {
  return [row.segment, row.url_first_path, row.origin_segment, row.target_segment].filter(
    (segment) => segment !== undefined && segment !== null,
  );
}

test.for(taking('segment').map(({ name }) => name))(
  '%s returns only rows of the given segment',
  async (name) => {
    const question = questions.find((one) => one.name === name) ?? expect.fail();
    const { connection } = warehouse;
    const written = (answers.get(name) ?? []).flatMap(segmentsOf)[0];
    const segment = String(written ?? '/section-7');
    const found = await askQuestion(connection, question, { segment });
    if (written !== undefined) {
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((row) => !segmentsOf(row).includes(segment))).toEqual([]);
    }
    const nowhere = await askQuestion(connection, question, { segment: '/nowhere' });
    expect(nowhere.filter((row) => Number(row.known ?? 1) > 0)).toEqual([]);
  },
);

test.for(taking('from').map(({ name }) => name))(
  '%s returns no days outside of the given range',
  async (name) => {
    const question = questions.find((one) => one.name === name) ?? expect.fail();
    const { connection } = warehouse;
    const ask = (from: string, to: string) => askQuestion(connection, question, { from, to });
    expect(await ask('2030-01-01', '2030-02-01')).toEqual([]);
    expect(await ask('2020-01-01', '2020-02-01')).toEqual([]);
    await expect(ask('2026-02-01', '2026-02-01')).rejects.toMatchObject({ code: 'usage' });
  },
);
