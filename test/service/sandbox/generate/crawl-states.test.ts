import { expect, test } from 'vitest';
import { parseSpec } from '../../../../src/service/sandbox/generate/parse-spec.ts';
import { type Json, lines, sharedService } from '../../support.ts';

const STATES = 'archived=1,user_requested=1,max_url_reached=1,cancelled=1,running=1';
const it = await sharedService({
  generate: [`projects=2,workspaces=2,crawls=2,pages=200,links=2000,comparisons=1,${STATES},seed=3`],
});
const workspaces = (await it.api('/workspaces')).json.workspaces as Json[];
const listed = async (workspace: unknown, kind: string): Promise<Json[]> => {
  const sort = kind === 'projects' ? '' : '&sort=created_at:asc';
  return (await it.api(`/workspaces/${workspace}/${kind}?limit=100${sort}`)).json[kind] as Json[];
};
const crawls = await listed(workspaces[1]?.id, 'crawls');
const [, whole, archived, terminated, limited, cancelled, running] = crawls;

async function progressOf(crawl: Json | undefined) {
  const { progress } = (await it.api(`/crawls/${crawl?.id}/progress`)).json as { progress: Json };
  return progress as { crawler: { status: string; counts: Record<string, number>; samples: Json[] } };
}

test('the projects are distributed over the workspaces, each with all its data', async () => {
  expect(workspaces).toHaveLength(2);
  for (const { id } of workspaces) {
    const projects = await listed(id, 'projects');
    expect(projects).toHaveLength(1);
    const own = await listed(id, 'crawls');
    expect(own.map((crawl) => crawl.id)).toEqual(projects[0]?.crawl_ids);
    expect(await listed(id, 'crawl_over_crawls')).toMatchObject([{ project_id: projects[0]?.id }]);
    const secrets = (await it.api(`/workspaces/${id}/secrets`)).json.secrets as Json[];
    expect(secrets.map(({ name }) => name)).toEqual(['sandbox-store-b']);
  }
});

test('after the done crawls, each state follows in order, a week apart', () => {
  const state = ({ status, link_status, end_reason }: Json) => [status, link_status, end_reason];
  expect(crawls.map(state)).toEqual([
    ['done', 'live', 'ok'],
    ['done', 'live', 'ok'],
    ['archived', 'archived', 'ok'],
    ['done', 'live', 'user_requested'],
    ['done', 'live', 'max_url_reached'],
    ['cancelled', 'live', 'user_cancelled'],
    ['running', 'live', undefined],
  ]);
  const created = crawls.map((crawl) => Number(crawl.created_at));
  expect(created.slice(1).map((at, index) => at - Number(created[index]))).toEqual(
    Array(6).fill(604_800_000),
  );
  expect(running?.ended_at).toBeNull();
  expect(limited?.fetched_urls).toBe((limited?.crawl_config as Json | undefined)?.max_url);
});

test('an interrupted crawl has as many rows as its progress counted, with samples', async () => {
  for (const crawl of [terminated, limited]) {
    const pages = lines((await it.export(String(crawl?.id), 'pages', 'json')).text).map(
      (line) => JSON.parse(line) as Json,
    );
    expect(pages.length).toBeLessThan(150);
    const { counts, samples } = (await progressOf(crawl)).crawler;
    const fetched = pages.filter((page) => page.fetched === true);
    expect(crawl?.fetched_urls).toBe(fetched.length);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(pages.length);
    expect(samples.length).toBeGreaterThan(3);
    for (const { url, fetch_status } of samples)
      expect(pages.find((page) => page.url === url)?.fetch_status).toBe(fetch_status);
  }
  expect(Number(limited?.fetched_urls)).toBeLessThan(Number(whole?.fetched_urls));
});

test('a cancelled or running crawl has no report; an archived one has it after restoration', async () => {
  for (const crawl of [archived, cancelled, running])
    expect((await it.search(String(crawl?.id), 'pages', {})).status).toBe(409);
  expect((await progressOf(cancelled)).crawler.counts.fetched_2xx).toBeGreaterThan(0);
  const now = '2027-01-01T00:00:00Z';
  await it.ask('/_sandbox/clock', { body: { now } });
  expect((await it.api(`/crawls/${archived?.id}/pilot`, { body: { command: 'unarchive' } })).status).toBe(
    200,
  );
  await it.ask('/_sandbox/clock', { body: { now: '2027-01-01T00:00:11Z' } });
  expect((await it.search(String(archived?.id), 'links', {})).json.meta).toMatchObject({ total_hits: 2000 });
});

test('a running crawl keeps its progress until a command; later launches use its workspace', async () => {
  const { crawler } = await progressOf(running);
  expect(crawler.status).toBe('running');
  expect(crawler.counts.queued_urls).toBeGreaterThan(0);
  await it.ask('/_sandbox/clock', { body: { now: '2028-01-01T00:00:00Z' } });
  expect((await progressOf(running)).crawler).toEqual(crawler);
  await it.api(`/crawls/${running?.id}/pilot`, { body: { command: 'terminate' } });
  await it.ask('/_sandbox/clock', { body: { now: '2028-01-01T00:01:00Z' } });
  const ended = (await it.api(`/crawls/${running?.id}`)).json.crawl as Json;
  expect(ended).toMatchObject({ status: 'done', end_reason: 'user_requested' });
  const config = running?.crawl_config as Json | undefined;
  const path = `/projects/${running?.project_id}/launch-crawl?configId=${config?.id}`;
  const launched = (await it.api(path, { method: 'POST' })).json.crawl as Json;
  const ids = async (workspace: unknown) => (await listed(workspace, 'crawls')).map(({ id }) => id);
  expect(await ids(workspaces[1]?.id)).toContain(launched.id);
  expect(await ids(workspaces[0]?.id)).not.toContain(launched.id);
});

test.each([
  ['archived=1', 'archived needs pages=10'],
  ['pages=50,running=2', 'running is at most 1'],
  ['workspaces=0', 'leaves no place'],
])('%s is refused: %s', (spec, message) => {
  expect(() => parseSpec(spec)).toThrow(message);
});
