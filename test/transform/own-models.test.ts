import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadModels } from '../../src/transform/load-models.ts';
import { planModels } from '../../src/transform/plan-models.ts';
import { openWarehouse } from './test-warehouse.ts';

const repository = join(import.meta.dirname, '../..');
const models = await loadModels(join(repository, 'sql'));

test('every model has golden cases', async () => {
  const golden = (await readdir(join(repository, 'test/golden'))).filter((name) => name.endsWith('.yaml'));
  expect(golden.sort()).toEqual(models.map((model) => `${model.name}.yaml`).sort());
});

test('models hold on a warehouse that has nothing, and depend on each other as they should', async () => {
  await using warehouse = await openWarehouse();
  const plan = await planModels({ connection: warehouse.connection, models });
  const reads = plan.map(({ model, sources, models }) => [model.name, [...sources, ...models].sort()]);
  expect(Object.fromEntries(reads)).toEqual({
    'mart.crawls': ['ops.loads', 'raw.crawls', 'raw.projects'],
    'mart.links': ['raw.crawl_links'],
    'mart.pages': ['raw.crawl_pages'],
    'mart.links_to_broken_pages': ['mart.links', 'mart.pages'],
    'mart.page_changes': ['mart.crawls', 'mart.pages', 'ops.unit_fields'],
    'mart.status_codes_by_crawl': ['mart.crawls', 'mart.pages'],
  });
});

test('every column is described by a sentence', () => {
  const bare = models.flatMap((model) =>
    [...model.columns]
      .filter(([, description]) => !description.trim().endsWith('.'))
      .map(([column]) => `${model.name}.${column}`),
  );
  expect(bare).toEqual([]);
});
