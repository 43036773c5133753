import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { table } from '../../src/core/duckdb/duckdb.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { loadCases } from '../../src/etl/pipeline/transform/tests/model-cases.ts';
import { loadModels } from '../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { type PlannedModel, planModels } from '../../src/etl/project/sql/plan/plan-models.ts';
import { openWarehouse, type TestWarehouse } from '../etl/pipeline/transform/test-warehouse.ts';
import { madeOnTrino } from './made-on-trino.ts';
import { rowsOfDuckDB, rowsOfTrino } from './rows-of-both.ts';

// Each golden case is one statement on Trino. What the model reads stands under WITH, as DuckDB has made it.

const repository = join(import.meta.dirname, '../..');
const { url, catalog } = inject('trino');
const client = new TrinoClient({ url, user: 'golden', catalog });
let warehouse: TestWarehouse;
let plan: readonly PlannedModel[];

beforeAll(async () => {
  warehouse = await openWarehouse();
  const models = await loadModels([sqlFolder(join(repository, 'sql'))]);
  plan = await planModels({ connection: warehouse.connection, models });
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

for (const { model, cases } of await loadCases(join(repository, 'test/golden'), 'test/golden')) {
  describe(model, () => {
    test.each(cases)('$name', async (one) => {
      const { connection } = warehouse;
      const { expected, sql } = await connection.trial(async () => ({
        sql: await madeOnTrino(connection, plan, model, one),
        expected: await rowsOfDuckDB(connection, `SELECT * FROM ${table(...model.split('.'))}`),
      }));
      expect((await rowsOfTrino(client, sql)).sort()).toEqual(expected.sort());
    });
  });
}
