import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import {
  clearFaults,
  published,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const PIPELINES = ['crawls', 'crawl_over_crawls', 'crawl_pages', 'crawl_over_crawl_pages'];

interface Listed {
  readonly id: string;
}

async function project(generate: string) {
  const sandbox = await sandboxFor({ generate: [generate] });
  const folder = await rawProjectFolder();
  const run = async () => {
    const { report } = await runProject(folder, sandbox, { pipelines: PIPELINES });
    return Object.fromEntries(report.units.map((unit) => [unit.unit.split('/')[0], unit]));
  };
  const list = async (name: string): Promise<readonly Listed[]> => {
    const { workspaces } = await ask(sandbox, '/api/v2/workspaces');
    return (await ask(sandbox, `/api/v2/workspaces/${workspaces?.[0]?.id}/${name}`))[name] ?? [];
  };
  const sql = async (query: string) =>
    published(await temporaryConnection(await temporaryFolder()), folder, query);
  return { sandbox, run, list, sql };
}

async function ask(sandbox: Sandbox, path: string, method = 'GET', body?: object) {
  const response = await fetch(`${sandbox.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${sandbox.accessToken}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(response.ok).toBe(true);
  return response.status === 204 ? {} : ((await response.json()) as Record<string, Listed[]>);
}

test('a crawl that ran again under its id is reloaded once, after it has ended', async () => {
  const { sandbox, run, list, sql } = await project('projects=1,crawls=1,pages=5,columns=20,seed=61');
  const id = (await list('crawls'))[0]?.id;
  expect((await run()).crawl_pages?.status).toBe('loaded');
  await ask(sandbox, `/_sandbox/crawls/${id}`, 'PATCH', { status: 'running', ended_at: null });
  expect((await run()).crawl_pages).toBeUndefined();
  const ended_at = Date.parse('2027-01-01T00:00:00Z');
  await ask(sandbox, `/_sandbox/crawls/${id}`, 'PATCH', { status: 'done', ended_at });
  expect((await run()).crawl_pages?.status).toBe('loaded');
  expect((await run()).crawl_pages).toBeUndefined();
  expect(await sql('SELECT count(*) AS n FROM raw.crawl_pages')).toEqual([{ n: '5' }]);
});

test('a crawl whose load failed is checked again: if it was archived since, it is skipped', async () => {
  const { sandbox, run, list } = await project('projects=1,crawls=1,pages=5,columns=20,seed=62');
  const id = (await list('crawls'))[0]?.id;
  await setFaults(sandbox, [{ match: { path: 'export=true' }, kind: 'status', status: 404 }]);
  expect((await run()).crawl_pages?.status).toBe('refused');
  await clearFaults(sandbox);
  await ask(sandbox, `/_sandbox/crawls/${id}`, 'PATCH', { status: 'archived' });
  expect((await run()).crawl_pages).toMatchObject({
    status: 'skipped',
    error: { message: 'the crawl is archived' },
  });
  expect((await run()).crawl_pages).toBeUndefined();
});

test('a comparison is open while it runs, loaded when done, skipped when cancelled', async () => {
  const { sandbox, run, list } = await project(
    'projects=1,crawls=2,pages=5,columns=20,comparisons=1,seed=63',
  );
  const id = (await list('crawl_over_crawls'))[0]?.id;
  const patch = (change: object) => ask(sandbox, `/_sandbox/crawl_over_crawls/${id}`, 'PATCH', change);
  await patch({ status: 'running', end_date: null });
  expect((await run()).crawl_over_crawl_pages).toBeUndefined();
  await patch({ status: 'cancelled', end_reason: 'conflicting_urls' });
  expect((await run()).crawl_over_crawl_pages).toMatchObject({
    status: 'skipped',
    error: { message: 'the crawl over crawl is cancelled' },
  });
  await patch({ status: 'done', end_date: Date.parse('2027-01-01T00:00:00Z'), end_reason: 'ok' });
  expect((await run()).crawl_over_crawl_pages?.status).toBe('loaded');
  await ask(sandbox, `/api/v2/crawl_over_crawls/${id}`, 'DELETE');
  const last = await run();
  expect(last.crawl_over_crawl_pages).toBeUndefined();
  expect(last.crawl_over_crawls).toMatchObject({ status: 'loaded', counts: { reported: 0, loaded: 0 } });
});
