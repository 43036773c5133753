import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CRAWL_DATA_TYPES } from '../../../../../src/client/resources/fields.ts';
import { isListUnchanged, LIST_ROUTE } from '../../../../../src/etl/pipeline/routes/list/list-route.ts';
import type { Inventory } from '../../../../../src/etl/project/model/inventory.ts';
import type { Task } from '../../../../../src/etl/project/model/task.ts';
import { type Json, sharedService } from '../../../../service/support.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { inventoryOf, partsOf, routeContext, taskOf } from '../route-context.ts';

const it = await sharedService({ generate: ['crawls=3,pages=5,links=5,columns=8,seed=3'] });
const CHOSEN = { route: 'list', format: 'json', store: null, reason: 'r' } as const;

const resource = (data_type: string, id: string): Task =>
  taskOf(id, { dataset: data_type, source: { kind: 'resource', data_type } });

async function opened(task: Task, inventory: Inventory) {
  const request = { task, chosen: CHOSEN, rows: null, folder: await temporaryFolder() };
  const source = await LIST_ROUTE.open({ ...(await routeContext(it)), inventory }, request);
  const texts = await Promise.all((await partsOf(source)).map(({ path }) => readFile(path, 'utf8')));
  const lines = texts.flatMap((text) => text.trim().split('\n'));
  return { source, rows: lines.map((line) => JSON.parse(line) as Json) };
}

/** The crawls of an inventory, of which only the first was found changed. */
function withNews(inventory: Inventory): Inventory {
  const [workspace] = inventory.workspaces;
  if (!workspace) throw new Error('no workspace');
  const { crawls } = workspace;
  const news = { ...crawls, changed: crawls.items.slice(0, 1), gone: ['c-gone'], isSwept: false };
  return { ...inventory, workspaces: [{ ...workspace, crawls: news }] };
}

test('a list read to its end is complete, with the total of the service', async () => {
  const { source, rows } = await opened(resource('crawls', await it.workspace()), await inventoryOf(it));
  expect([source.reported, source.update]).toEqual([3, undefined]);
  expect(rows.map(({ id }) => id).sort()).toEqual((await it.crawls()).map(({ id }) => id).sort());
});

test('of a partially read list, only changed records are loaded, and others stay', async () => {
  const inventory = withNews(await inventoryOf(it));
  const { source, rows } = await opened(resource('crawls', await it.workspace()), inventory);
  expect(source.update).toMatchObject({ gone: ['c-gone'] });
  expect(Object.values(source.update ?? {})).toContain(2);
  expect(rows.map(({ id }) => id)).toEqual([inventory.workspaces[0]?.crawls.items[0]?.id]);
});

test('a list is unchanged only if nothing was added or removed and it was not read to its end', async () => {
  const inventory = await inventoryOf(it);
  const news = withNews(inventory);
  const [workspace] = news.workspaces;
  const as = (isSwept: boolean): Inventory => ({
    ...news,
    workspaces: workspace
      ? [{ ...workspace, crawls: { ...workspace.crawls, changed: [], gone: [], isSwept } }]
      : [],
  });
  const task = resource('crawls', await it.workspace());
  expect(isListUnchanged(task, inventory)).toBe(false);
  expect(isListUnchanged(task, news)).toBe(false);
  expect([isListUnchanged(task, as(false)), isListUnchanged(task, as(true))]).toEqual([true, false]);
  expect(isListUnchanged(taskOf('c'), as(false))).toBe(false);
});

test('the fields of a crawl are listed for each of its data types', async () => {
  const task = taskOf(await it.crawlId(), {
    dataset: 'crawl_fields',
    source: { kind: 'crawl', data_type: 'fields' },
  });
  const { source, rows } = await opened(task, await inventoryOf(it));
  expect(source.reported).toBe(null);
  expect(new Set(rows.map(({ data_type }) => data_type))).toEqual(new Set(CRAWL_DATA_TYPES));
  expect(LIST_ROUTE.requests(task.pipeline.source, null)).toBe(CRAWL_DATA_TYPES.length);
});

test('lists of a project are requested; workspaces come from discovery', async () => {
  const projectId = String((await it.crawls())[0]?.project_id);
  const configs = await opened(resource('crawl_configs', projectId), await inventoryOf(it));
  expect(configs.rows.length).toBeGreaterThan(0);
  const files = await opened(resource('ingest_files', projectId), await inventoryOf(it));
  expect([files.source.reported, files.rows]).toEqual([0, []]);
  const own = await opened(resource('workspaces', await it.workspace()), await inventoryOf(it));
  expect(own.rows).toMatchObject([{ id: await it.workspace() }]);
});
