import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCases, runCase } from '../../../../src/etl/pipeline/transform/tests/model-cases.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { type PlannedModel, planModels } from '../../../../src/etl/project/sql/plan/plan-models.ts';
import { sampleOf } from '../../../support/runs.ts';
import { openWarehouse, type TestWarehouse } from './test-warehouse.ts';

const repository = join(import.meta.dirname, '../../../..');
/** All models, planned on a warehouse that has nothing: a case is given its model and what that reads. */
const plan = await planAll();

/** Empty, and again after each case. */
let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

for (const { model, cases } of await loadCases(join(repository, 'test/golden'), 'test/golden')) {
  describe(model, () => {
    test.each(sampleOf(cases))('$name', async (one) => {
      const { connection } = warehouse;
      const { missing, surplus, failedTests, passed } = await connection.trial(() =>
        runCase(connection, plan, model, one),
      );
      expect({ missing, surplus, failedTests }).toEqual({
        missing: [],
        surplus: [],
        failedTests: one.failing_tests,
      });
      expect(passed).toBe(true);
    });
  });
}

async function planAll(): Promise<PlannedModel[]> {
  await using warehouse = await openWarehouse();
  const models = await loadModels([sqlFolder(join(repository, 'sql'))]);
  return await planModels({ connection: warehouse.connection, models });
}
