import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crawlhouse, rawProjectFolder, sandboxFor, setFaults } from '../../../support/project.ts';

async function scene() {
  const sandbox = await sandboxFor({ generate: ['crawls=5,pages=5,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const run = (...words: string[]) =>
    crawlhouse(folder, sandbox, ['run', 'projects', 'crawl_pages', ...words]);
  return { sandbox, folder, run };
}

test('the end of a run lists projects, the warehouse and one command; --verbose lists units', async () => {
  const { folder, run } = await scene();
  const { status, stderr } = await run();
  expect(status).toBe(0);
  expect(stderr.trimEnd().split('\n').slice(-7)).toEqual([
    expect.stringMatching(/^project +units +rows +bytes +time$/),
    expect.stringMatching(/^[a-z-]+-\d +5 loaded +25 /),
    expect.stringMatching(/^lists of workspaces +1 loaded +1 /),
    expect.stringMatching(/^all +6 loaded +26 /),
    expect.stringMatching(/^6 units, 0 models built, 0 of 0 data tests passed: done after [\d.]+ (?:s|min)$/),
    `Warehouse: ${join(folder, 'warehouse.duckdb')}`,
    expect.stringMatching(/^Next: .* query --question$/),
  ]);
});

test('the end of a run shows the first causes of each kind in full, then the command for more', async () => {
  const { sandbox, run } = await scene();
  await setFaults(sandbox, [{ match: { path: '/pages.*export=true' }, kind: 'status', status: 400 }]);
  const { status, stderr } = await run();
  expect(status).toBe(4);
  expect(stderr.match(/^Error: /gm)).toHaveLength(3);
  expect(stderr).toMatch(/^and 2 more errors invalid_request: .* status$/m);
  expect(stderr).toMatch(/^Next: .* status$/m);
  expect((await run('--verbose')).stderr.match(/^Error: /gm)).toHaveLength(5);
});
