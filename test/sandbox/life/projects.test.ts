import { expect, test } from 'vitest';
import { field, importFolder, sharedService } from '../support.ts';
import { CONFIG, DAY, living, refusal, SECOND, START } from './living.ts';

const shared = await sharedService({});

test('a project is made with a unique name, and is empty', async () => {
  const house = await living();
  const { client } = house;
  const made = await client.createProject({ name: ' Tea ', start_url: 'https://www.tea.example/en' });
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
  expect(await client.project(made.id)).toEqual({ project: made, crawl_configs: [], crawls: [] });
  const again = await house.service.api('/projects', {
    body: { project: { name: 'Tea', start_url: 'https://other.example/' } },
  });
  expect([again.status, again.json.type]).toEqual([400, 'duplicate_entry']);
});

test.each([
  [{ name: 'x' }, 'project.start_url', 'required'],
  [{ start_url: 'https://x.example/' }, 'project.name', 'required'],
  [{ name: ' ', start_url: 'https://x.example/' }, 'project.name', 'too_small'],
  [{ name: 'x', start_url: 'www.x.example' }, 'project.start_url', 'invalid_format'],
  [{ name: 'x', start_url: 'ftp://x.example/' }, 'project.start_url', 'invalid_format'],
  [{ name: 'x', start_url: 'https://x.example/', id: '1' }, 'project.id', 'unknown'],
])('a project %j is refused for its %s', async (project, name, type) => {
  const answer = await shared.api('/projects', { body: { project } });
  expect(answer.json).toMatchObject({ type: 'invalid_request_parameters', fields: [{ name, type }] });
});

test('a project is deleted with all that is in it, once none of its crawls is under way', async () => {
  const dir = await importFolder('logs', {
    events: { fields: [field('url', 'string')], rows: [{ url: 'https://l.example/' }] },
  });
  const house = await living({ generate: ['crawls=2,comparisons=1,pages=20,columns=5'], importDirs: [dir] });
  const { client, projectId, workspaceId } = house;
  const [project] = (await Array.fromAsync(client.projects(workspaceId))).filter(
    ({ name }) => name !== 'logs',
  );
  const id = String(project?.id);
  const config = String(project?.crawl_config_ids?.[0]);
  await client.createScheduledCrawl(id, { config_id: config, recurrence: 'day', start_date: START + DAY });
  await client.launchCrawl(id, config);
  expect(await refusal(client.deleteProject(id))).toMatchObject({ code: 'wrong_state' });
  await house.clock(START + 70 * SECOND);
  await client.deleteProject(id);
  expect(await refusal(client.project(id))).toMatchObject({ code: 'not_found' });
  expect((await client.allCrawls(workspaceId)).total).toBe(0);
  expect((await client.allCrawlOverCrawls(workspaceId)).total).toBe(0);
  for (const one of [...(project?.crawl_ids ?? []), 'none']) {
    expect((await house.service.search(one, 'pages', {})).status).toBe(404);
  }
  await house.clock(START + 3 * DAY);
  expect((await client.allCrawls(workspaceId)).total).toBe(0);
  const left = await Array.fromAsync(client.projects(workspaceId));
  expect(left.map(({ name }) => name)).toEqual(['logs']);
  expect(left[0]?.id === projectId || id === projectId).toBe(true);
  expect(await refusal(client.deleteProject(id))).toMatchObject({ code: 'not_found' });
});

test('the lists of ids in a project are always true', async () => {
  const house = await living();
  const { client, projectId } = house;
  const look = async () => {
    const { project, crawl_configs, crawls } = await client.project(projectId);
    expect(new Set(project.crawl_ids)).toEqual(new Set(crawls.map(({ id }) => id)));
    expect(new Set(project.crawl_config_ids)).toEqual(new Set(crawl_configs.map(({ id }) => id)));
    return project;
  };
  await look();
  const config = await house.config();
  expect((await look()).crawl_config_ids).toEqual([house.configId, config]);
  const { id } = await client.launchCrawl(projectId, config);
  expect(await look()).toMatchObject({ last_crawl_id: id });
  await client.pilotCrawl(id, 'cancel');
  await client.deleteCrawl(id);
  await client.deleteCrawlConfig(projectId, config);
  expect((await look()).crawl_config_ids).toEqual([house.configId]);
  await client.createCrawlConfig(projectId, CONFIG);
  expect((await look()).crawl_config_ids).toHaveLength(2);
});
