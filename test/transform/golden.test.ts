import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ident, table } from '../../src/core/duckdb.ts';
import { silentLogger } from '../../src/core/logger.ts';
import { loadModels } from '../../src/transform/load-models.ts';
import { type PlannedModel, planModels } from '../../src/transform/plan-models.ts';
import { runModels } from '../../src/transform/run-models.ts';
import { selectModels } from '../../src/transform/select-models.ts';
import { sqlFolder } from '../../src/transform/sql-folders.ts';
import { createTable, openWarehouse, rowsSql } from './test-warehouse.ts';

const repository = join(import.meta.dirname, '../..');
const folder = join(repository, 'test/golden');
/** All models, planned on a warehouse that has nothing: a case is given its model and what that reads. */
const plan = await planAll();

const Row = z.record(z.string(), z.unknown());
const Input = z.strictObject({ columns: z.record(z.string(), z.string()), rows: z.array(Row).default([]) });

/** Cases of one model: tables in, rows out. Only the columns that the expected rows name are compared. */
const Golden = z.strictObject({
  model: z.string(),
  cases: z.array(
    z.strictObject({
      name: z.string(),
      input: z.record(z.string(), Input),
      /** Columns to compare, for a case that expects no rows. */
      columns: z.array(z.string()).optional(),
      expect: z.array(Row),
      /** Tests of the model that are to fail on this input; all others pass. */
      failing_tests: z.array(z.string()).default([]),
    }),
  ),
});

for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
  const golden = Golden.parse(parse(readFileSync(join(folder, file), 'utf8'), { intAsBigInt: true }));
  const models = selectModels(plan, [`+${golden.model}`]).map(({ model }) => model);
  describe(golden.model, () => {
    test.each(golden.cases)('$name', async ({ input, columns, expect: expected, failing_tests }) => {
      await using warehouse = await openWarehouse();
      const { connection } = warehouse;
      for (const [name, { columns, rows }] of Object.entries(input)) {
        await createTable(connection, name, columns, rows);
      }
      const report = await runModels({
        connection,
        models,
        changed: 'all',
        runId: 'golden',
        logger: silentLogger,
      });

      const names = columns ?? [...new Set(expected.flatMap((row) => Object.keys(row)))];
      const types = new Map(
        (await connection.jsonRows(`DESCRIBE ${table(...golden.model.split('.'))}`)).map((column) => [
          String(column.column_name),
          String(column.column_type),
        ]),
      );
      const compared = Object.fromEntries(names.map((name) => [name, types.get(name) ?? 'MISSING']));
      const want = rowsSql(compared, expected);
      const got = `SELECT ${names.map(ident).join(', ')} FROM ${table(...golden.model.split('.'))}`;
      expect({
        missing: await connection.jsonRows(`(${want}) EXCEPT ALL (${got})`),
        surplus: await connection.jsonRows(`(${got}) EXCEPT ALL (${want})`),
      }).toEqual({ missing: [], surplus: [] });

      const failed = report.tests.filter(
        ({ model, status }) => model === golden.model && status === 'failed',
      );
      expect(failed.map(({ name }) => name)).toEqual(failing_tests);
    });
  });
}

async function planAll(): Promise<PlannedModel[]> {
  await using warehouse = await openWarehouse();
  return await planModels({
    connection: warehouse.connection,
    models: await loadModels([sqlFolder(join(repository, 'sql'))]),
  });
}
