import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ident, table } from '../../../../src/core/duckdb/duckdb.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import type { Model } from '../../../../src/etl/project/sql/models/model.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { columnLineage } from '../../../../src/etl/project/sql/plan/column-lineage.ts';
import { planModels } from '../../../../src/etl/project/sql/plan/plan-models.ts';
import { bindQuestion } from '../../../../src/etl/project/sql/questions/bind-question.ts';
import { loadQuestions } from '../../../../src/etl/project/sql/questions/questions.ts';
import { SQL_2016, TRINO } from '../../../support/reserved-words.ts';
import { openWarehouse, type TestWarehouse } from './test-warehouse.ts';

// The rules of docs/decisions/models.md, over the types that DuckDB tells.

const folders = [sqlFolder(join(import.meta.dirname, '../../../../sql'))];

/** The column of a model or a question. */
interface Column {
  readonly of: string;
  readonly name: string;
  readonly type: string;
}

let warehouse: TestWarehouse;
let modelColumns: readonly Column[];
let questionColumns: readonly Column[];
let reserved: ReadonlySet<string>;

beforeAll(async () => {
  warehouse = await openWarehouse();
  const { connection } = warehouse;
  const models = await loadModels(folders);
  const lineage = await columnLineage(connection, models);
  const plan = await planModels({ connection, models });
  modelColumns = plan.flatMap(({ model, outputs }) =>
    [...outputs]
      .map(([name, type]) => ({ of: model.name, name, type }))
      .filter(({ name }) => !isFormerName(model, name))
      .filter(({ name }) => !isField(model, name, lineage.get(model.name)?.get(name) ?? [])),
  );
  for (const { model, outputs } of plan) {
    const columns = [...outputs].map(([name, type]) => `${ident(name)} ${type}`);
    await connection.run(`CREATE TABLE ${table(...model.name.split('.'))} (${columns.join(', ')})`);
  }
  const found: Column[] = [];
  for (const question of await loadQuestions(folders)) {
    const statement = await connection.inner.prepare(bindQuestion(question).sql);
    for (let index = 0; index < statement.columnCount; index += 1) {
      const type = String(statement.columnType(index));
      found.push({ of: question.name, name: statement.columnName(index), type });
    }
    statement.destroySync();
  }
  questionColumns = found;
  const keywords = await connection.rows<{ word: string }>(
    "SELECT keyword_name AS word FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')",
  );
  reserved = new Set([...SQL_2016, ...TRINO, ...keywords.map(({ word }) => word)]);
});

afterAll(() => warehouse?.[Symbol.asyncDispose]());

/** A name that a column had before, which stays for one version. */
function isFormerName({ columns }: Model, name: string): boolean {
  return /^(The former name, |Former name of )/.test(columns.get(name) ?? '');
}

/** A field of the service under its own name: read by the model itself, or carried through other models. */
function isField({ reads }: Model, name: string, sources: readonly string[]): boolean {
  const fields = sources.filter((source) => source.startsWith('raw.')).map((source) => source.split('.'));
  if (!fields.some(([, , field]) => field === name)) return false;
  const isRead = fields.some(([, source, field]) => field === name && reads.get(`raw.${source}`)?.has(name));
  return isRead || fields.every(([, , field]) => field === name || field?.startsWith('_'));
}

/** The columns whose type asks for a name, or whose name promises a type, but not both. */
function misnamed(columns: readonly Column[], type: RegExp, name: RegExp): string[] {
  return columns
    .filter((column) => type.test(column.type) !== name.test(column.name))
    .map((column) => `${column.of}.${column.name} ${column.type}`);
}

const all = (): Column[] => [...modelColumns, ...questionColumns];

test('the columns of models and questions are found with their types', () => {
  expect(modelColumns).toContainEqual({ of: 'mart.crawls', name: 'is_latest', type: 'BOOLEAN' });
  expect(questionColumns).toContainEqual({ of: 'q27_cannibalisation', name: 'urls', type: 'BIGINT' });
});

test('exactly booleans are named is_ or has_', () => {
  expect(misnamed(all(), /^BOOLEAN$/, /^(is|has)_/)).toEqual([]);
});

test('exactly points in time are named _at', () => {
  expect(misnamed(all(), /^TIMESTAMP/, /_at$/)).toEqual([]);
});

test('exactly days are named _date', () => {
  expect(misnamed(all(), /^DATE$/, /(^|_)date$/)).toEqual([]);
});

test('exactly percentages are DOUBLE columns named _percent', () => {
  expect(all().filter(({ name }) => /(^|_)(share|ratio)(_|$)/.test(name))).toEqual([]);
  const percents = all().filter(({ name }) => /percent/.test(name));
  expect(percents.length).toBeGreaterThan(15);
  expect(percents.filter(({ name, type }) => !name.endsWith('_percent') || type !== 'DOUBLE')).toEqual([]);
});

test('no name is a reserved word of SQL:2016, Trino or DuckDB', () => {
  const found = all().filter(({ name }) => reserved.has(name.toLowerCase()));
  expect(found.map((column) => `${column.of}.${column.name}`)).toEqual([]);
});

test('a change that depends on days has a column with the reason for a missing value', () => {
  const columns = [...modelColumns, ...questionColumns];
  const names = new Set(columns.map(({ of, name }) => `${of}.${name}`));
  const changes = columns
    .filter(({ name }) => /(click|impression|hit|visit|event|position).*_change/.test(name))
    .map(({ of, name }) => `${of}.${name}`)
    .filter((name) => !name.endsWith('_reason'));
  expect(changes.filter((name) => !names.has(`${name.replace(/_percent$/, '')}_reason`))).toEqual([]);
  expect(changes).toHaveLength(9);
});
