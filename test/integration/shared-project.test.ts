import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { project, service } from '../app/operations/schedule/service.ts';
import { PASSWORD, startLedgerServer } from '../support/ledger-server.ts';
import { hasPostgres } from '../support/postgres.ts';
import {
  clearFaults,
  crawlhouse,
  crawlhouseProcess,
  differences,
  environmentOf,
  projectFolder,
  rawProjectFolder,
  requestCount,
  sandboxFor,
  setFaults,
} from '../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

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
  expect((await cli('drop', '--crawl', units[0]?.source.id ?? '', '--yes')).status).toBe(0);
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
    expect.stringMatching(/rejects crawlhouse: .*\nTry: correct user/),
  ]);
});

const standBy =
  'a second service stands by, and takes over when the first one ends (apt-get install postgresql)';
test.skipIf(!hasPostgres())(standBy, async () => {
  await using postgres = await startLedgerServer();
  const sandbox = await sandboxFor({ generate: ['pages=10,links=0,columns=12,seed=4'] });
  const [one, other] = [await project(), await project()];
  const extra = { CRAWLHOUSE_LEDGER: postgres.url('served') };
  const first = service(one, sandbox, extra);
  await first.heard(/schedule schedule=morning next_at=/);
  const second = service(other, sandbox, extra);
  await second.heard(/standing by: another process runs the schedules held_by=.*crawlhouse schedule/);
  expect(second.said.text).not.toContain('next_at');
  first.child.kill('SIGTERM');
  expect((await first.ended)[0]).toBe(143);
  await second.heard(/schedule schedule=morning next_at=/);
  second.child.kill('SIGTERM');
  expect((await second.ended)[0]).toBe(143);
});

/** A machine of a project: its own state directory, the warehouse of all. */
async function machine(warehouse: string, ledger: string) {
  const folder = await rawProjectFolder();
  return { folder, extra: { CRAWLHOUSE_WAREHOUSE: warehouse, CRAWLHOUSE_LEDGER: ledger } };
}

const lost = 'a run that was stopped past its lease changes nothing once it wakes up, whatever it was doing';
test.skipIf(!hasPostgres())(`${lost} (apt-get install postgresql)`, async () => {
  await using postgres = await startLedgerServer();
  const sandbox = await sandboxFor({ generate: ['pages=40,links=80,columns=12,seed=4'] });
  const undisturbed = await rawProjectFolder();
  const run = ['run', 'crawl_pages', 'crawl_links', '--route', 'stream'];
  expect((await crawlhouse(undisturbed, sandbox, run)).status).toBe(0);
  const shared = await temporaryFolder();
  const [here, there] = [
    await machine(join(shared, 'warehouse.duckdb'), postgres.url('woken')),
    await machine(join(shared, 'warehouse.duckdb'), postgres.url('woken')),
  ];

  await setFaults(sandbox, [{ match: { path: 'pages.export=true' }, kind: 'stall', times: 1 }]);
  const paused = crawlhouseProcess(here.folder, run, environmentOf(sandbox, here.extra));
  onTestFinished(() => void paused.kill('SIGKILL'));
  const ended = once(paused, 'exit') as Promise<[number | null]>;
  const said = text(paused.stderr);
  await until(async () => {
    const rows = await postgres
      .admin(
        `SELECT 1 FROM crawlhouse.units WHERE status = 'downloading' AND dataset = 'crawl_pages'`,
        'ledgers',
      )
      .catch(() => []);
    return rows.length > 0 ? true : undefined;
  });
  paused.kill('SIGSTOP');
  await postgres.admin(`UPDATE crawlhouse.leases SET until = now() WHERE project = 'woken'`, 'ledgers');
  const taken = await crawlhouse(there.folder, sandbox, run, there.extra);
  expect([taken.status, taken.stderr]).toEqual([0, expect.anything()]);
  const published = await readFile(join(shared, 'warehouse.duckdb'));
  const units = `SELECT unit, status, attempts, updated_at FROM crawlhouse.units ORDER BY unit`;
  const before = await postgres.admin(units, 'ledgers');

  // Its download still stalls: what ends the run is that it hears of the other one.
  paused.kill('SIGCONT');
  expect((await ended)[0]).toBe(3);
  await clearFaults(sandbox);
  expect(await said).toContain('another process has taken over woken');
  expect((await readFile(join(shared, 'warehouse.duckdb'))).equals(published)).toBe(true);
  expect(await postgres.admin(units, 'ledgers')).toEqual(before);
  const connection = await temporaryConnection(await temporaryFolder());
  for (const table of ['crawl_pages', 'crawl_links'])
    expect(await differences(connection, undisturbed, shared, table)).toBe(0n);
});

const gone =
  'a run whose server is gone ends within two minutes, whatever it waits for, and the next one continues';
test.skipIf(!hasPostgres())(`${gone} (apt-get install postgresql)`, async () => {
  await using postgres = await startLedgerServer();
  const sandbox = await sandboxFor({ generate: ['pages=40,links=80,columns=12,seed=4'] });
  const { folder, extra } = await machine(
    join(await temporaryFolder(), 'warehouse.duckdb'),
    postgres.url('gone'),
  );
  const run = ['run', 'crawl_pages', 'crawl_links', '--route', 'stream'];
  await setFaults(sandbox, [{ match: { path: 'pages.export=true' }, kind: 'stall', times: 1 }]);
  const waiting = crawlhouseProcess(folder, run, environmentOf(sandbox, extra));
  onTestFinished(() => void waiting.kill('SIGKILL'));
  const ended = once(waiting, 'exit') as Promise<[number | null]>;
  const said = text(waiting.stderr);
  await until(async () => {
    const rows = await postgres
      .admin(
        `SELECT 1 FROM crawlhouse.units WHERE status = 'downloading' AND dataset = 'crawl_pages'`,
        'ledgers',
      )
      .catch(() => []);
    return rows.length > 0 || undefined;
  });
  const goneAt = performance.now();
  await postgres.crash();
  expect((await ended)[0]).toBe(3);
  expect(performance.now() - goneAt).toBeLessThan(120_000);
  expect(await said).toMatch(/the ledger at localhost:\d+\/ledgers does not answer/);
  await postgres.restart();
  await clearFaults(sandbox);
  expect((await crawlhouse(folder, sandbox, run, extra)).status).toBe(0);
});
