import { expect, test } from 'vitest';
import { encodeRison } from '../../../src/client/http/rison.ts';
import { LIST_CRAWLS } from '../../../src/client/resources/crawls.ts';
import { LIST_PROJECTS, ProjectResponse } from '../../../src/client/resources/projects.ts';
import { LIST_WORKSPACES } from '../../../src/client/resources/workspaces.ts';
import { type Json, parsed, sharedService } from '../support.ts';

const it = await sharedService({ generate: ['projects=2,crawls=13,pages=3,columns=5'] });
const workspace = await it.workspace();

function crawls(query = ''): Promise<Awaited<ReturnType<typeof it.api>>> {
  return it.api(`/workspaces/${workspace}/crawls${query}`);
}

test('a list has ten items per page, newest first, with every key of meta', async () => {
  const { json } = await crawls();
  const page = parsed(LIST_CRAWLS, json);
  expect(json.meta).toEqual({ offset: 0, limit: 10, total: 26, sort: null, filters: {} });
  const created = page.crawls.map((crawl) => crawl.created_at ?? 0);
  expect(created).toEqual(created.toSorted((a, b) => b - a));
});

test('the pages of a list cover every item once', async () => {
  const seen: unknown[] = [];
  for (let offset = 0; offset < 30; offset += 4) {
    const page = parsed(LIST_CRAWLS, (await crawls(`?offset=${offset}&limit=4`)).json);
    expect(page.meta).toMatchObject({ offset, limit: 4, total: 26 });
    seen.push(...page.crawls.map((crawl) => crawl.id));
  }
  expect(new Set(seen).size).toBe(26);
  expect(seen.length).toBe(26);
});

test('a list is sorted by name:order, which meta repeats as a pair', async () => {
  const { json } = await crawls('?sort=created_at:asc&limit=26');
  const created = (json.crawls as Json[]).map((crawl) => Number(crawl.created_at));
  expect(created).toEqual(created.toSorted((a, b) => a - b));
  expect(json.meta).toMatchObject({ sort: [['created_at', 'asc']] });
});

test('a list is filtered by rison-encoded OQL, which meta repeats', async () => {
  const all = parsed(LIST_CRAWLS, (await crawls('?limit=26')).json).crawls;
  const project = all[0]?.project_id ?? '';
  const middle = all[12]?.created_at ?? 0;
  const filters = {
    and: [{ field: ['project_id', 'equals', project] }, { or: [{ field: ['created_at', 'gte', middle] }] }],
  };
  const { json } = await crawls(`?limit=26&filters=${encodeRison(filters)}`);
  const expected = all.filter((crawl) => crawl.project_id === project && (crawl.created_at ?? 0) >= middle);
  expect((json.crawls as Json[]).map((crawl) => crawl.id)).toEqual(expected.map((crawl) => crawl.id));
  expect(json.meta).toMatchObject({ total: expected.length, filters });
});

test('a filter by an integer beyond 2^53 is exact, also in the response', async () => {
  const { text } = await crawls('?filters=(field:!(created_at,lte,9007199254740993))');
  expect(text).toContain('"lte",9007199254740993]');
});

test('the default filters in meta can be sent back', async () => {
  expect((await crawls(`?filters=${encodeRison({})}`)).json.meta).toMatchObject({ total: 26 });
  expect((await crawls('?filters=!n')).json.meta).toMatchObject({ total: 26 });
});

test('projects can be filtered by a many-valued field', async () => {
  const list = async (feature: string): Promise<number> => {
    const filters = encodeRison({ field: ['features', 'equals', feature] });
    const { json } = await it.api(`/workspaces/${workspace}/projects?filters=${filters}`);
    return parsed(LIST_PROJECTS, json).meta.total;
  };
  expect(await list('data_export')).toBe(2);
  expect(await list('teleport')).toBe(0);
});

test.each([
  ['?page=2', 'page'],
  ['?limit=-1', 'limit'],
  ['?limit=ten', 'limit'],
  ['?offset=1&offset=2', 'offset'],
  ['?sort=ended_at:asc', 'sort'],
  ['?sort=status', 'sort'],
  ['?sort=status:up', 'sort'],
  ['?filters=(field', 'filters'],
  [`?filters=${encodeRison({ field: ['ended_at', 'gt', 1] })}`, 'filters.field[0]'],
  [`?filters=${encodeRison({ field: ['status', 'gt', 'done'] })}`, 'filters.field[2]'],
])('crawls%s is refused and %s is named', async (query, name) => {
  const answer = await crawls(query);
  expect(answer.status).toBe(400);
  expect(answer.json.type).toBe('invalid_request_parameters');
  expect((answer.json.fields as Json[]).map((field) => field.name)).toEqual([name]);
});

test('workspaces have no field to sort by', async () => {
  expect(parsed(LIST_WORKSPACES, (await it.api('/workspaces')).json).workspaces).toHaveLength(1);
  expect((await it.api('/workspaces?sort=name:asc')).status).toBe(400);
});

test('configurations are listed without paging and accept no parameters', async () => {
  const project = String((await it.crawls())[0]?.project_id);
  const { json } = await it.api(`/projects/${project}/crawl_configs`);
  expect(Object.keys(json)).toEqual(['crawl_configs']);
  const config = (json.crawl_configs as Json[])[0];
  const one = await it.api(`/projects/${project}/crawl_configs/${config?.id}`);
  expect(one.json).toEqual({ crawl_config: config });
  expect((await it.api(`/projects/${project}/crawl_configs?limit=1`)).status).toBe(400);
});

test('a project contains its configurations and crawls', async () => {
  const project = String((await it.crawls())[0]?.project_id);
  const found = ProjectResponse.parse((await it.api(`/projects/${project}`)).json);
  expect(found.crawls).toHaveLength(13);
  expect(found.project.crawl_ids).toHaveLength(13);
  expect(found.crawl_configs.map((config) => config.id)).toEqual(found.project.crawl_config_ids);
  expect(found.project.last_crawl_id).toBe(
    found.crawls.toSorted((a, b) => (b.created_at ?? 0) - (a.created_at ?? 0))[0]?.id,
  );
});

test.each([
  '/workspaces/none',
  '/workspaces/none/crawls',
  '/projects/none',
  '/projects/none/crawl_configs',
  '/crawls/none',
  '/data/crawl/none/pages/fields',
  '/no/such/path',
])('%s is not found', async (path) => {
  const answer = await it.api(path);
  expect(answer.status).toBe(404);
  expect(answer.json.type).toBe('resource_not_found');
});
