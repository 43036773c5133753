import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { WarehousePool } from '../../../../src/app/answers/query/warehouse-pool.ts';
import { serveConsole } from '../../../../src/app/console/server/serve-console.ts';
import { createLogger, silentLogger } from '../../../../src/core/logs/logger.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadSites, SQL } from '../../../questions/sites/load-sites.ts';
import { consoleProject } from '../../../support/console-project.ts';
import { type OpenConsole, openConsole } from '../../../support/open-console.ts';
import { runModels } from '../../../support/run-models.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { STORY } from '../../answers/explore/story-site.ts';

const PAGES = [
  '/index.json?wait=1',
  '/projects.json',
  '/projects/p-shop.json?wait=1',
  '/projects/p-shop/issues.json?wait=1',
  '/projects/p-shop/structure.json?wait=1',
  '/projects/p-shop/compare.json',
  '/projects/p-shop/demand.json?wait=1',
  '/projects/p-shop/migration.json?wait=1',
  '/projects/p-shop/pages.json',
  '/crawls/shop-3.json?wait=1',
];
const TICKETS = `tickets:
  - {id: t1, project: p-shop, issue: one_inlink, crawl: shop-3, state: ignored, until: 2099-01-01,
     created_at: 2026-11-01T00:00:00Z, changed_at: 2026-11-01T00:00:00Z}
`;

const folder = sharedFolder();
let settings: Settings;
beforeAll(async () => {
  const models = await loadModels([sqlFolder(SQL)]);
  settings = await consoleProject(
    folder,
    async (connection) => {
      await loadSites(connection, STORY);
      await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
    },
    { withQuestions: true },
  );
});

const read = async ({ ask }: OpenConsole, pages = PAGES) =>
  Promise.all(
    pages.map(async (path) => {
      const response = await ask(path);
      const { seconds, ...document } = (await response.json()) as Record<string, unknown>;
      return { path, status: response.status, document };
    }),
  );

test('prepared pages equal fresh ones and need no query, until the next publication', async () => {
  const fresh = await read(await openConsole(settings));
  expect(fresh.map(({ status }) => status)).toEqual(PAGES.map(() => 200));
  const prepared = await openConsole(settings);
  await prepared.preparePages();
  const use = vi.spyOn(WarehousePool.prototype, 'use');
  try {
    expect(await read(prepared)).toEqual(fresh);
    expect(use).not.toHaveBeenCalled();
    await utimes(settings.warehouse, new Date(), new Date(Date.now() + 5000));
    await read(prepared, ['/projects.json']);
    expect(use).toHaveBeenCalled();
  } finally {
    use.mockRestore();
  }
});

test('a change of tickets.yaml or of a question shows on a prepared page', async () => {
  const prepared = await openConsole(settings);
  await prepared.preparePages();
  const tickets = join(settings.projectDir, 'tickets.yaml');
  const question = join(settings.projectDir, 'sql', 'questions', 'q05_status_codes_by_crawl.sql');
  const shipped = await readFile(question, 'utf8');
  const other = shipped.replace('pages, pages_percent', 'pages + 4711 AS pages, pages_percent');
  try {
    await writeFile(tickets, TICKETS);
    await writeFile(question, other);
    const pages = PAGES.filter((path) => /p-shop(.json|.issues)/.test(path));
    const changed = await read(prepared, pages);
    expect(changed).toEqual(await read(await openConsole(settings), pages));
    expect(JSON.stringify(changed)).toContain('"ignored":');
    expect(JSON.stringify(changed)).toContain('4711 AS pages');
    const statuses = changed.find(({ path }) => path.startsWith('/projects/p-shop.json'))?.document.statuses;
    expect(JSON.stringify(statuses)).toMatch(/"pages":47\d\d/);
  } finally {
    await rm(tickets);
    await writeFile(question, shipped);
  }
});

test('a failure is logged once, the other pages are prepared, and the console closes during a preparation', async () => {
  const lines: string[] = [];
  const logger = createLogger('warn', (line) => lines.push(line));
  const tickets = join(settings.projectDir, 'tickets.yaml');
  await writeFile(tickets, 'tickets: 1\n');
  try {
    const { signal } = new AbortController();
    const served = await serveConsole(settings, '127.0.0.1:0', logger, signal);
    await served.preparePages();
    expect(lines).toEqual([expect.stringContaining('tickets.yaml')]);
    await utimes(settings.warehouse, new Date(), new Date(Date.now() + 9000));
    const unfinished = served.preparePages();
    await served[Symbol.asyncDispose]();
    await unfinished;
    expect(lines.length).toBe(1);
  } finally {
    await rm(tickets);
  }
});
