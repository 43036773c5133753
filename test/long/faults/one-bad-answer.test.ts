import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { RunReport } from '../../../src/etl/project/model/runs/unit-report.ts';
import { missed, project } from '../../app/operations/schedule/service.ts';
import { type Meddling, meddledSandbox } from '../../support/meddler.ts';
import { crawlhouse, published, rawProjectFolder, sandboxFor } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const PAGES = 30;

/** One run as a process: two crawls, of which the first one's pages answer as `meddle` says. */
async function runMeddled(meddleWith: (badCrawl: string) => Meddling) {
  const sandbox = await sandboxFor({ generate: [`projects=1,crawls=2,pages=${PAGES},columns=12,seed=3`] });
  const [bad = ''] = await crawlIds(sandbox);
  const meddled = await meddledSandbox(sandbox, meddleWith(bad));
  const folder = await rawProjectFolder();
  const ran = await crawlhouse(folder, meddled, ['run', 'crawl_pages', 'crawls', '--json']);
  const parsed = JSON.parse(ran.stdout || 'null') as RunReport | null;
  return { ...ran, report: parsed, folder, bad };
}

async function crawlIds({ baseUrl, accessToken }: { baseUrl: string; accessToken: string }) {
  const ask = async (path: string) =>
    (await fetch(`${baseUrl}/api/v2${path}`, { headers: { authorization: `Bearer ${accessToken}` } })).json();
  const { workspaces } = (await ask('/workspaces')) as { workspaces: { id: string }[] };
  const { crawls } = (await ask(`/workspaces/${workspaces[0]?.id}/crawls`)) as { crawls: { id: string }[] };
  return crawls.map((one) => one.id).sort();
}

/** The bad crawl has its error, the good one is published, and the report was printed. */
async function expectOneHarmed(
  { stderr, report, folder, bad }: Awaited<ReturnType<typeof runMeddled>>,
  error: object,
): Promise<void> {
  expect(stderr).not.toMatch(/^ {4}at /m);
  const pages = report?.units.filter((one) => one.dataset === 'crawl_pages') ?? [];
  const of = (isBad: boolean) => pages.filter((one) => (one.source.id === bad) === isBad);
  expect(of(true)).toMatchObject([error]);
  expect(of(false)).toMatchObject([{ status: 'loaded', counts: { queryable: PAGES } }]);
  const connection = await temporaryConnection(await temporaryFolder());
  const rows = await published(
    connection,
    folder,
    `SELECT count(*) AS n, count(*) FILTER (_crawl_id = '${bad}') AS bad FROM raw.crawl_pages`,
  );
  expect(rows).toEqual([{ n: String(PAGES), bad: '0' }]);
}

const LINES = `${JSON.stringify({ url: 'https://a.example/' })}\n`.repeat(PAGES);

test.for([
  ['br', brotliCompressSync(LINES)],
  ['deflate', deflateSync(LINES)],
  ['gzip, gzip', gzipSync(gzipSync(LINES))],
] as const)('an export with Content-Encoding %s affects only its unit', async ([encoding, body]) => {
  const ran = await runMeddled((bad) => (request, response) => {
    if (!request.url?.includes(`/crawl/${bad}/pages?export=true`)) return null;
    response.writeHead(200, { 'content-encoding': encoding }).end(body);
    return 'answered';
  });
  await expectOneHarmed(ran, {
    error: { code: 'contract_broken', message: expect.stringContaining(`Content-Encoding ${encoding}`) },
  });
  expect(ran.status).toBe(4);
});

test.for([
  ['ended_at', 1.5],
  ['status', null],
  ['created_at', 'yesterday'],
] as const)('a crawl whose %s is %j affects only itself', async ([field, value]) => {
  const ran = await runMeddled((bad) => (request) => {
    if (!/\/crawls\?/.test(request.url ?? '')) return null;
    return (page: { crawls: { id: string }[] }) => ({
      ...page,
      crawls: page.crawls.map((one) => (one.id === bad ? { ...one, [field]: value } : one)),
    });
  });
  await expectOneHarmed(ran, { error: { code: 'contract_broken', message: expect.stringContaining(field) } });
  expect(ran.status).toBe(4);
});

test('a crawl listed in two workspaces is loaded once', async () => {
  let real = '';
  const ran = await runMeddled(() => (request) => {
    request.url = request.url?.replace('/workspaces/other/', `/workspaces/${real}/`) ?? '';
    if (!request.url.startsWith('/api/v2/workspaces?')) return null;
    return (page: { workspaces: { id: string }[]; meta: object }) => {
      real = page.workspaces[0]?.id ?? '';
      return {
        meta: { ...page.meta, total: 2 },
        workspaces: [...page.workspaces, { ...page.workspaces[0], id: 'other' }],
      };
    };
  });
  const states = ran.report?.units.map(({ unit, status }) => `${unit.split('/')[0]} ${status}`).sort();
  expect(states).toEqual(['crawl_pages loaded', 'crawl_pages loaded', 'crawls loaded', 'crawls loaded']);
  expect(ran.status).toBe(0);
});

test('an invalid project only blocks its own list', async () => {
  const ran = await runMeddled(() => (request) => {
    if (!/\/projects\?/.test(request.url ?? '')) return null;
    return (page: { projects: object[]; meta: { total: number } }) => ({
      meta: { ...page.meta, total: page.meta.total + 1 },
      projects: [...page.projects, { id: 'broken', name: 7 }],
    });
  });
  const states = ran.report?.units.map(({ dataset, status }) => `${dataset} ${status}`).sort();
  expect(states).toEqual(['crawl_pages loaded', 'crawl_pages loaded', 'crawls loaded']);
  expect(ran.stderr).toContain('projects: broken is outside its contract: name: ');
  expect(ran.status).toBe(4);
});

test('a workspace whose lists cannot be read affects only itself', async () => {
  const ran = await runMeddled(() => (request, response) => {
    if (/\/workspaces\/gone\//.test(request.url ?? '')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      return 'answered';
    }
    if (!request.url?.startsWith('/api/v2/workspaces?')) return null;
    return (page: { workspaces: object[]; meta: object }) => ({
      meta: { ...page.meta, total: 2 },
      workspaces: [{ id: 'gone', name: 'Gone' }, ...page.workspaces],
    });
  });
  const states = ran.report?.units.map(({ unit, status }) => `${unit.split('/')[0]} ${status}`).sort();
  expect(states).toEqual(['crawl_pages loaded', 'crawl_pages loaded', 'crawls loaded', 'crawls refused']);
  expect(ran.status).toBe(4);
});

const PRELOAD = join(import.meta.dirname, '../../support/planted-fault.mjs');

test.for(['throw', 'rejection', 'event'])(
  'an uncaught download error (%s) affects only its unit',
  async (fault) => {
    const sandbox = await sandboxFor({ generate: [`projects=1,crawls=2,pages=${PAGES},columns=12,seed=3`] });
    const folder = await rawProjectFolder();
    const ran = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--json'], planted(fault));
    const report = JSON.parse(ran.stdout) as RunReport;
    const bad = report.units.find((one) => one.status === 'failed')?.source.id ?? '';
    await expectOneHarmed(
      { ...ran, report, folder, bad },
      { status: 'failed', error: { code: 'internal', message: expect.stringContaining('planted') } },
    );
    expect(ran.status).toBe(1);
    const again = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--json']);
    expect(again.status).toBe(0);
  },
);

test('an uncaught error outside of a unit ends the process with its cause, and the next run continues', async () => {
  const sandbox = await sandboxFor({ generate: [`projects=1,crawls=3,pages=${PAGES},columns=12,seed=3`] });
  const folder = await rawProjectFolder();
  const ran = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--json'], planted('outside'));
  expect(ran.status).toBe(1);
  expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'internal' } });
  expect(ran.stderr).toContain('uncaught error: planted outside of any unit');
  const again = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--json']);
  const { units } = JSON.parse(again.stdout) as RunReport;
  expect([again.status, units.map((one) => one.counts.queryable)]).toEqual([0, [PAGES, PAGES, PAGES]]);
});

test('schedule publishes the good units after an uncaught error, and reports it', async () => {
  const sandbox = await sandboxFor({ generate: [`projects=1,crawls=2,pages=${PAGES},columns=12,seed=3`] });
  const folder = await project();
  await missed(folder);
  const ran = await crawlhouse(folder, sandbox, ['schedule', '--once', '--json'], planted('throw'));
  const { runs } = JSON.parse(ran.stdout) as { runs: RunReport[] };
  const states = runs[0]?.units.map((one) => one.status).sort();
  expect([ran.status, states]).toEqual([1, ['failed', 'loaded']]);
  expect(ran.stderr).toContain('uncaught error: planted');
  await missed(folder);
  const again = await crawlhouse(folder, sandbox, ['schedule', '--once', '--json']);
  expect(again.status).toBe(0);
});

function planted(fault: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=${PRELOAD}`, PLANTED_FAULT: fault };
}
