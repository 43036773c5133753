import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunReport } from '../../../src/etl/project/model/runs/unit-report.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { type Json, Service } from '../../service/support.ts';
import { rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';
import { until } from '../../support/until.ts';

const DATA = { generate: ['projects=1,crawls=3,pages=20,links=30,columns=8,seed=51'] };

async function policy(folder: string, dataset: string, unarchive: string): Promise<void> {
  const file = join(folder, 'pipelines', `${dataset}.yaml`);
  await writeFile(file, `${await readFile(file, 'utf8')}\nunarchive: ${unarchive}\n`);
}

/** Puts crawls into a state by hand. */
async function put(it: Service, ids: readonly string[], changes: Json): Promise<void> {
  for (const id of ids) {
    const answer = await it.ask(`/_sandbox/crawls/${id}`, { method: 'PATCH', body: changes });
    if (answer.status !== 200) throw new Error(answer.text);
  }
}

let minutes = 0;

/** A run, while the sandbox's clock moves on whenever a crawl is on its way back. */
async function runUntilRestored(folder: string, sandbox: Sandbox, crawls: number, most = 5) {
  const it = new Service(sandbox);
  const options = {
    pipelines: ['crawl_pages', 'crawl_links'],
    environment: { CRAWLHOUSE_UNARCHIVE_PER_RUN: String(most) },
  };
  const running = runProject(folder, sandbox, options);
  for (let restored = 0; restored < crawls; restored++) {
    await until(async () => {
      const moving = (await it.crawls()).some((crawl) => crawl.status === 'unarchiving');
      return moving || undefined;
    });
    await it.ask('/_sandbox/clock', { body: { now: Date.now() + ++minutes * 60_000 } });
  }
  return running;
}

function outcomes({ units }: RunReport): Record<string, string> {
  const pairs = units.map(({ dataset, source, status }) => [`${dataset} ${source.id}`, status]);
  return Object.fromEntries(pairs);
}

test('archived crawls are restored and loaded, a limited number per run', async () => {
  const sandbox = await sandboxFor(DATA);
  const it = new Service(sandbox);
  const [one, two, three] = (await it.crawls()).map((crawl) => String(crawl.id));
  await put(it, [one ?? '', two ?? ''], { status: 'archived', link_status: 'archived' });
  const folder = await rawProjectFolder();
  await policy(folder, 'crawl_pages', 'unarchive');
  await policy(folder, 'crawl_links', 'unarchive');

  const first = await runUntilRestored(folder, sandbox, 1, 1);
  expect(first.exitCode).toBe(0);
  const found = outcomes(first.report);
  const restored = found[`crawl_pages ${one}`] === 'loaded' ? one : two;
  const other = restored === one ? two : one;
  expect(found).toEqual({
    [`crawl_pages ${three}`]: 'loaded',
    [`crawl_links ${three}`]: 'loaded',
    [`crawl_pages ${restored}`]: 'loaded',
    [`crawl_links ${restored}`]: 'loaded',
    [`crawl_pages ${other}`]: 'skipped',
    [`crawl_links ${other}`]: 'skipped',
  });
  const skipped = first.report.units.find((unit) => unit.status === 'skipped');
  expect(skipped?.error?.message).toContain('this run has already restored 1');

  const second = await runUntilRestored(folder, sandbox, 1, 1);
  expect(outcomes(second.report)).toEqual({
    [`crawl_pages ${other}`]: 'loaded',
    [`crawl_links ${other}`]: 'loaded',
  });
});

test('a fast restore loads pages without links; links are restored only if the pipeline requests it', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=20,links=30,columns=8,seed=52'] });
  const it = new Service(sandbox);
  const id = await it.crawlId();
  await put(it, [id], { status: 'archived', link_status: 'archived' });
  const folder = await rawProjectFolder();
  await policy(folder, 'crawl_pages', 'unarchive-fast');
  await policy(folder, 'crawl_links', 'unarchive-fast');
  const first = await runUntilRestored(folder, sandbox, 1);
  expect([first.exitCode, outcomes(first.report)]).toEqual([
    0,
    { [`crawl_pages ${id}`]: 'loaded', [`crawl_links ${id}`]: 'skipped' },
  ]);
  const links = first.report.units.find((unit) => unit.dataset === 'crawl_links');
  expect(links?.error?.message).toContain('unarchive-fast restores no links');

  const full = await rawProjectFolder();
  await policy(full, 'crawl_links', 'unarchive');
  const second = await runUntilRestored(full, sandbox, 1);
  expect(outcomes(second.report)).toEqual({
    [`crawl_pages ${id}`]: 'loaded',
    [`crawl_links ${id}`]: 'loaded',
  });
});

test('a crawl needed fast for pages and complete for links is restored in both ways', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=20,links=30,columns=8,seed=53'] });
  const it = new Service(sandbox);
  const id = await it.crawlId();
  await put(it, [id], { status: 'archived', link_status: 'archived' });
  const folder = await rawProjectFolder();
  await policy(folder, 'crawl_pages', 'unarchive-fast');
  await policy(folder, 'crawl_links', 'unarchive');
  const { exitCode, report } = await runUntilRestored(folder, sandbox, 1);
  expect([exitCode, outcomes(report)[`crawl_pages ${id}`]]).toEqual([0, 'loaded']);
  expect(outcomes(report)[`crawl_links ${id}`]).toBe('loaded');
});

test('a read-only token skips archived crawls after one request, and loads the rest', async () => {
  const sandbox = await sandboxFor(DATA);
  const it = new Service(sandbox);
  const [one, two, three] = (await it.crawls()).map((crawl) => String(crawl.id));
  await put(it, [one ?? '', two ?? ''], { status: 'archived', link_status: 'archived' });
  const scopes = ['account:read', 'projects:read'];
  await it.ask('/_sandbox/tokens/reader', { method: 'PATCH', body: { scopes } });
  const folder = await rawProjectFolder();
  await policy(folder, 'crawl_pages', 'unarchive');
  const { exitCode, report } = await runProject(folder, sandbox, {
    pipelines: ['crawl_pages'],
    environment: { CRAWLHOUSE_ACCESS_TOKEN: 'reader', CRAWLHOUSE_CONCURRENCY: '1' },
  });
  expect(exitCode).toBe(0);
  expect(outcomes(report)).toEqual({
    [`crawl_pages ${one}`]: 'skipped',
    [`crawl_pages ${two}`]: 'skipped',
    [`crawl_pages ${three}`]: 'loaded',
  });
  const errors = report.units.flatMap((unit) => unit.error ?? []);
  expect(errors.map((error) => error.code)).toEqual(['unarchive_forbidden', 'unarchive_forbidden']);
  expect(errors[0]?.hint).toContain('projects:write');
  const requests = JSON.parse((await it.ask('/_sandbox/requests')).text) as Json[];
  expect(requests.filter((request) => String(request.path).includes('/pilot'))).toHaveLength(1);
});
