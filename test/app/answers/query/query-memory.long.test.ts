import { expect, test } from 'vitest';
import { queryProcess, someWarehouse } from './some-warehouse.ts';

test('values that together exceed the memory limit end the query, and the next query works', async () => {
  const { signal } = new AbortController();
  const { path } = await someWarehouse();
  const warehouse = await queryProcess(path, { memory: '100MB' });
  const sql = "SELECT repeat('x', 1000000000) || repeat('y', 1000000000) AS v";
  await expect(warehouse.rows(sql, signal)).rejects.toMatchObject({
    code: 'query_limit',
    exitCode: 2,
    message: expect.stringMatching(/memory|allocate/),
  });
  expect(await warehouse.rows('SELECT 1 AS n', signal)).toEqual([{ n: 1 }]);
});
