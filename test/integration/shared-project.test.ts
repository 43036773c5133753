import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PASSWORD, startLedgerServer } from '../support/ledger-server.ts';
import { hasPostgres } from '../support/postgres.ts';
import { crawlhouse, projectFolder, requestCount, sandboxFor } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary.ts';

const title =
  'a project with a shared ledger runs, drops and says how it stands (apt-get install postgresql)';
test.skipIf(!hasPostgres())(title, async () => {
  await using postgres = await startLedgerServer();
  const sandbox = await sandboxFor({ generate: ['pages=30,links=60,columns=12,seed=4'] });
  const folder = await projectFolder(await temporaryFolder());
  const ledger = postgres.url('whole');
  const said: string[] = [];
  const cli = async (...args: readonly string[]) => {
    const result = await crawlhouse(folder, sandbox, args, { CRAWLHOUSE_LEDGER: ledger });
    said.push(result.stdout, result.stderr);
    return result;
  };
  const statuses = async (): Promise<Record<string, string>> => {
    const { units } = JSON.parse((await cli('status', '--json')).stdout) as {
      units: { unit: string; dataset: string; status: string }[];
    };
    return Object.fromEntries(units.map(({ dataset, status }) => [dataset, status]));
  };

  expect((await cli('run', 'crawl_pages', 'crawl_links')).status).toBe(0);
  expect(await statuses()).toEqual({ crawl_pages: 'published', crawl_links: 'published' });
  expect(existsSync(join(folder, '.crawlhouse', 'ledger.sqlite'))).toBe(false);

  // The state directory is lost: the shared ledger has it all.
  await rm(join(folder, '.crawlhouse'), { recursive: true });
  expect(await statuses()).toEqual({ crawl_pages: 'published', crawl_links: 'published' });
  const { units } = JSON.parse((await cli('status', '--json')).stdout) as {
    units: { source: { id: string } }[];
  };
  expect((await cli('drop', '--crawl', units[0]?.source.id ?? '')).status).toBe(0);
  expect(await statuses()).toEqual({ crawl_pages: 'dropped', crawl_links: 'dropped' });
  const before = await requestCount(sandbox);
  expect((await cli('run', 'crawl_pages')).status).toBe(0);
  expect(await statuses()).toEqual({ crawl_pages: 'dropped', crawl_links: 'dropped' });
  expect(await requestCount(sandbox)).toBeGreaterThan(before);

  expect((await cli('doctor')).stdout).toMatch(/ledger +2 units, version \d+, project whole at localhost/);
  expect((await cli('config')).stdout).toContain('postgres://crawlhouse:[redacted]@localhost');
  for (const form of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(said.join('\n')).not.toContain(form);

  await postgres.admin(`ALTER ROLE crawlhouse PASSWORD 'another one'`);
  const refused = await cli('run', 'crawl_pages');
  expect([refused.status, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/lets crawlhouse not in: .*\nTry: correct user/),
  ]);
});
