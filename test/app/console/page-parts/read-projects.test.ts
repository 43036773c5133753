import { expect, test } from 'vitest';
import { readTrends } from '../../../../src/app/console/page-parts/read-projects.ts';
import type { Readers } from '../../../../src/app/console/readers/readers.ts';

test('trends are read of the named projects only, and grouped by project', async () => {
  const asked: Readonly<Record<string, string>>[] = [];
  const rows = ['a', 'b', 'a'].map((project_id) => ({ project_id }));
  const readers = {
    rowsOnce: async (_schema: unknown, sql: string, parameters: ReadonlyMap<string, string>) => {
      asked.push(Object.fromEntries(parameters));
      expect(sql).toContain('IN ($p0, $p1)');
      return rows;
    },
  } as unknown as Readers;
  expect((await readTrends(readers, [])).size).toBe(0);
  expect(asked).toEqual([]);
  const trends = await readTrends(readers, ['a', 'b']);
  expect([trends.get('a')?.length, trends.get('b')?.length]).toEqual([2, 1]);
  expect(asked).toEqual([{ p0: 'a', p1: 'b' }]);
});
