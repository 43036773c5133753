import { expect, test } from 'vitest';
import type { ServiceClient } from '../../../../src/client/http/service-client.ts';
import type { Oql } from '../../../../src/client/oql/oql.ts';
import type { AggregateBody } from '../../../../src/client/resources/aggregates.ts';
import type { SearchBody } from '../../../../src/client/resources/search.ts';
import { clientOf, patchProject, projectId } from '../../clients.ts';
import { type Json, lines, sharedService } from '../../support.ts';

const it = await sharedService({
  generate: ['projects=1,crawls=2,pages=60,links=100,comparisons=1,events=400,log_days=40,seed=3'],
});
const project = await projectId(it);
const crawl = await it.crawlId(0);
const comparison = await (async () => {
  const { json } = await it.api(`/workspaces/${await it.workspace()}/crawl_over_crawls`);
  return String((json.crawl_over_crawls as Json[])[0]?.id);
})();

type Search = (client: ServiceClient, body: SearchBody) => ReturnType<ServiceClient['search']>;
type Aggregate = (client: ServiceClient, body: AggregateBody) => ReturnType<ServiceClient['aggregate']>;
type Export = (client: ServiceClient, fields: string[], oql: Oql) => ReturnType<ServiceClient['export']>;

const filter: Oql = { field: ['url', 'has_value', ''] };

/** Each source with the number field that its aggregates add up. */
const SOURCES: readonly [name: string, path: string, number: string, Search, Aggregate, Export][] = [
  [
    'a crawl',
    `/data/crawl/${crawl}/pages`,
    'word_count',
    (client, body) => client.search({ kind: 'crawl', id: crawl, dataType: 'pages' }, body),
    (client, body) => client.aggregate({ kind: 'crawl', id: crawl, dataType: 'pages' }, body),
    (client, fields, oql) =>
      client.export(
        { kind: 'crawl', id: crawl, dataType: 'pages' },
        { fields, oql },
        { fileType: 'json', gzip: false },
      ),
  ],
  [
    'a crawl over crawl',
    `/data/crawl_over_crawl/${comparison}/pages`,
    'crawl2_word_count',
    (client, body) => client.search({ kind: 'crawl_over_crawl', id: comparison }, body),
    (client, body) => client.aggregate({ kind: 'crawl_over_crawl', id: comparison }, body),
    (client, fields, oql) =>
      client.export(
        { kind: 'crawl_over_crawl', id: comparison },
        { fields, oql },
        { fileType: 'json', gzip: false },
      ),
  ],
  [
    'log events',
    `/data/project/${project}/log_monitoring/events`,
    'bytes_sent',
    (client, body) => client.search({ kind: 'log_events', projectId: project }, body),
    (client, body) => client.aggregate({ kind: 'log_events', projectId: project }, body),
    (client, fields, oql) =>
      client.export(
        { kind: 'log_events', projectId: project },
        { fields, oql },
        { fileType: 'json', gzip: false },
      ),
  ],
  ...(['days', 'weeks', 'months'] as const).map((by): [string, string, string, Search, Aggregate, Export] => [
    `log pages by ${by}`,
    `/data/project/${project}/log_monitoring/pages/${by}`,
    'hits',
    (client, body) => client.search({ kind: 'log_pages', projectId: project, granularity: by }, body),
    (client, body) => client.aggregate({ kind: 'log_pages', projectId: project, granularity: by }, body),
    (client, fields, oql) =>
      client.export(
        { kind: 'log_pages', projectId: project, granularity: by },
        { fields, oql },
        { fileType: 'json', gzip: false },
      ),
  ]),
];

test.each(SOURCES)(
  'search, export and aggregates of %s agree',
  async (_name, _path, number, search, aggregate, exported) => {
    const client = clientOf(it);
    const fields = ['url', number];
    const found = await search(client, { fields, oql: filter, limit: 10_000 });
    expect(found.meta.columns).toEqual(fields);
    expect(found.urls?.length).toBe(found.meta.total_hits);
    expect(found.meta.total_hits).toBeGreaterThan(20);

    const answer = await exported(client, fields, filter);
    const rows = lines(await new Response(answer.body as unknown as ReadableStream).text());
    expect(rows.map((line) => JSON.parse(line) as Json)).toEqual(found.urls);

    const { aggs } = await aggregate(client, { aggs: [{ oql: filter }, { value: `${number}:sum` }] });
    const sum = (found.urls ?? []).reduce((before, row) => before + Number(row[number] ?? 0), 0);
    expect(sum).toBeGreaterThan(0);
    expect(aggs[0]?.rows).toEqual([[found.meta.total_hits]]);
    expect(aggs[1]).toMatchObject({ cols: [`${number}:sum`], rows: [[sum]] });
  },
);

const ways = ['', '?export=true', '/aggs'];

/** What search, export and aggregates of a path answer: status, type and code of each. */
async function answers(path: string): Promise<unknown[]> {
  return Promise.all(
    ways.map(async (way) => {
      const body = way === '/aggs' ? { aggs: [{}] } : {};
      const { status, text } = await it.api(`${path}${way}`, { body });
      if (status === 200) return status;
      const { type, code } = JSON.parse(text) as Json;
      return [status, type, ...(code === undefined ? [] : [code])];
    }),
  );
}
const all = (answer: unknown): unknown[] => ways.map(() => answer);

test.each(SOURCES)('%s that does not exist is not found', async (_name, path) => {
  expect(await answers(path.replace(/[0-9a-f]{24}/, '0'.repeat(24)))).toEqual(
    all([404, 'resource_not_found']),
  );
});

test.each([
  `/data/crawl/${crawl}/events`,
  `/data/crawl_over_crawl/${comparison}/links`,
  `/data/project/${project}/log_monitoring/pages`,
  `/data/project/${project}/log_monitoring/events/days`,
  `/data/project/${project}/log_monitoring/pages/years`,
])('%s is not a path of the service', async (path) => {
  expect(await answers(path)).toEqual(all([404, 'resource_not_found']));
});

test('a comparison has rows only when it is done', async () => {
  const set = (changes: Json): Promise<unknown> =>
    it.ask(`/_sandbox/crawl_over_crawls/${comparison}`, { method: 'PATCH', body: changes });
  const path = `/data/crawl_over_crawl/${comparison}/pages`;
  for (const status of ['running', 'cancelled']) {
    await set({ status });
    expect(await answers(path)).toEqual(all([409, 'invalid_state_for_request']));
  }
  await set({ status: 'done', end_reason: 'conflicting_urls' });
  expect(await answers(path)).toEqual(all([409, 'invalid_state_for_request']));
  await set({ end_reason: 'ok' });
  expect(await answers(path)).toEqual(all(200));
});

test('aggregates of a crawl need the same state as searches', async () => {
  await it.ask(`/_sandbox/crawls/${crawl}`, { method: 'PATCH', body: { status: 'archived' } });
  expect(await answers(`/data/crawl/${crawl}/pages`)).toEqual(all([409, 'invalid_state_for_request']));
  await it.ask(`/_sandbox/crawls/${crawl}`, {
    method: 'PATCH',
    body: { status: 'done', link_status: 'archived' },
  });
  expect(await answers(`/data/crawl/${crawl}/links`)).toEqual(all([409, 'invalid_state_for_request']));
  await it.ask(`/_sandbox/crawls/${crawl}`, { method: 'PATCH', body: { link_status: 'live' } });
  expect(await answers(`/data/crawl/${crawl}/links`)).toEqual(all(200));
});

test('a project without the feature is refused; before its data is ready, the response says to wait', async () => {
  const { json } = await it.api(`/projects/${project}`);
  const { features } = json.project as { features: string[] };
  const logs = SOURCES.filter(([name]) => name.startsWith('log')).map(([, path]) => path);
  const comparisons = `/data/crawl_over_crawl/${comparison}/pages`;
  const set = (changes: Json): Promise<unknown> => patchProject(it, project, changes);

  await set({
    features: features.filter((name) => name !== 'log_monitoring' && name !== 'crawl_over_crawl'),
  });
  for (const path of [...logs, comparisons])
    expect(await answers(path)).toEqual(all([403, 'forbidden', 'missing_feature']));
  await expect(clientOf(it).search({ kind: 'log_events', projectId: project }, {})).rejects.toMatchObject({
    code: 'missing_feature',
  });

  // A project that names no feature has those of its workspace.
  await set({ features: [] });
  for (const path of [...logs, comparisons]) expect(await answers(path)).toEqual(all(200));

  await set({ features, log_monitoring_data_ready: false });
  for (const path of logs) expect(await answers(path)).toEqual(all([409, 'invalid_state_for_request']));
  await set({ log_monitoring_data_ready: true });
  for (const path of logs) expect(await answers(path)).toEqual(all(200));
});
