import { expect, test } from 'vitest';
import { field, importFolder, sharedService } from '../support.ts';
import { CONFIG, DAY, living, refusal, SECOND, START } from './living.ts';

const shared = await sharedService({});

test('a new project has a unique name, and is empty', async () => {
  const life = await living();
  const { client } = life;
  const made = await client.call('createProject', {
    body: { project: { name: ' Tea ', start_url: 'https://www.tea.example/en' } },
  });
  expect(made).toMatchObject({
    name: 'Tea',
    start_url: 'https://www.tea.example/en',
    domain: 'www.tea.example',
    is_verified_by: null,
    last_crawl_id: null,
    last_crawl_created_at: null,
    crawl_ids: [],
    crawl_config_ids: [],
    crawl_over_crawl_ids: [],
    limits: { max_speed: null },
  });
  expect(await client.call('project', { project_id: made.id })).toEqual({
    project: made,
    crawl_configs: [],
    crawls: [],
  });
  const again = await life.service.api('/projects', {
    body: { project: { name: 'Tea', start_url: 'https://other.example/' } },
  });
  expect([again.status, again.json.type]).toEqual([400, 'duplicate_entry']);
});

test.each([
  [{ name: 'x' }, 'start_url', 'required'],
  [{ start_url: 'https://x.example/' }, 'name', 'required'],
  [{ name: ' ', start_url: 'https://x.example/' }, 'name', 'too_small'],
  [{ name: 'x', start_url: 'www.x.example' }, 'start_url', 'invalid_format'],
  [{ name: 'x', start_url: 'ftp://x.example/' }, 'start_url', 'invalid_format'],
  [{ name: 'x', start_url: 'https://x.example/', id: '1' }, 'id', 'unknown'],
])('a project %j is refused for its %s', async (project, name, type) => {
  const answer = await shared.api('/projects', { body: { project } });
  expect(answer.json).toMatchObject({ type: 'invalid_request_parameters', fields: [{ name, type }] });
});

test('a project is deleted with everything in it, once none of its crawls is running', async () => {
  const dir = await importFolder('logs', {
    events: { fields: [field('url', 'string')], rows: [{ url: 'https://l.example/' }] },
  });
  const life = await living({ generate: ['crawls=2,comparisons=1,pages=20,columns=5'], importDirs: [dir] });
  const { client, projectId, workspaceId } = life;
  const [project] = (await Array.fromAsync(client.list('projects', { workspace_id: workspaceId }))).filter(
    ({ name }) => name !== 'logs',
  );
  const id = String(project?.id);
  const config = String(project?.crawl_config_ids?.[0]);
  await client.call('createScheduledCrawl', {
    project_id: id,
    body: { scheduled_crawl: { config_id: config, recurrence: 'day', start_date: START + DAY } },
  });
  await client.call('launchCrawl', { project_id: id, query: { configId: config } });
  expect(await refusal(client.call('deleteProject', { project_id: id }))).toMatchObject({
    code: 'wrong_state',
  });
  await life.clock(START + 70 * SECOND);
  await client.call('deleteProject', { project_id: id });
  expect(await refusal(client.call('project', { project_id: id }))).toMatchObject({ code: 'not_found' });
  expect((await client.all('crawls', { workspace_id: workspaceId })).total).toBe(0);
  expect((await client.all('crawlOverCrawls', { workspace_id: workspaceId })).total).toBe(0);
  for (const one of [...(project?.crawl_ids ?? []), 'none']) {
    expect((await life.service.search(one, 'pages', {})).status).toBe(404);
  }
  await life.clock(START + 3 * DAY);
  expect((await client.all('crawls', { workspace_id: workspaceId })).total).toBe(0);
  const left = await Array.fromAsync(client.list('projects', { workspace_id: workspaceId }));
  expect(left.map(({ name }) => name)).toEqual(['logs']);
  expect(left[0]?.id === projectId || id === projectId).toBe(true);
  expect(await refusal(client.call('deleteProject', { project_id: id }))).toMatchObject({
    code: 'not_found',
  });
});

test('the id lists of a project are always current', async () => {
  const life = await living();
  const { client, projectId } = life;
  const look = async () => {
    const { project, crawl_configs, crawls } = await client.call('project', { project_id: projectId });
    expect(new Set(project.crawl_ids)).toEqual(new Set(crawls.map(({ id }) => id)));
    expect(new Set(project.crawl_config_ids)).toEqual(new Set(crawl_configs.map(({ id }) => id)));
    return project;
  };
  await look();
  const config = await life.config();
  expect((await look()).crawl_config_ids).toEqual([life.configId, config]);
  const { id } = await client.call('launchCrawl', { project_id: projectId, query: { configId: config } });
  expect(await look()).toMatchObject({ last_crawl_id: id });
  await client.call('pilotCrawl', { crawl_id: id, body: { command: 'cancel' } });
  await client.call('deleteCrawl', { crawl_id: id });
  expect((await look()).crawl_ids).not.toContain(id);
  await client.call('deleteCrawlConfig', { project_id: projectId, crawl_config_id: config });
  expect((await look()).crawl_config_ids).toEqual([life.configId]);
  await client.call('createCrawlConfig', { project_id: projectId, body: { crawl_config: CONFIG } });
  expect((await look()).crawl_config_ids).toHaveLength(2);
});
