import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { gaps } from '../../../support/gaps.ts';
import { runModels } from '../../../support/run-models.ts';
import { expectBadModel, loadFiles } from './model-files.ts';
import { createTable, openWarehouse } from './test-warehouse.ts';

const repository = join(import.meta.dirname, '../../../..');
const docs = await readFile(join(repository, 'docs/models.md'), 'utf8');
const example = /```sql\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';

test('the example of docs/models.md runs with the shipped models, on a warehouse without its declared columns', async () => {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  await createTable(
    connection,
    'raw.crawl_pages',
    { _crawl_id: 'VARCHAR', url: 'VARCHAR', load_time: 'BIGINT' },
    [
      { _crawl_id: 'c', url: 'slow', load_time: 1001 },
      { _crawl_id: 'c', url: 'fast', load_time: 1000 },
    ],
  );
  const models = [
    ...(await loadModels([sqlFolder(join(repository, 'sql'))])),
    ...(await loadFiles({ 'mart/slow_pages.sql': example })),
  ];
  const { tests } = await runModels({
    connection,
    models,
    changed: 'all',
    only: ['+slow_pages'],
    runId: 'r',
    logger: silentLogger,
  });
  expect(await connection.jsonRows('FROM mart.slow_pages')).toEqual([
    { crawl_id: 'c', url: 'slow', load_time: '1001', template: null, links: '0' },
  ]);
  const own = tests.filter(({ model }) => model === 'mart.slow_pages');
  expect(own.map(({ name, status }) => `${name}: ${status}`)).toEqual([
    'not_null(crawl_id): passed',
    'not_null(url): passed',
    'unique(crawl_id, url): passed',
    'not_null(load_time): passed',
    'accepted_values(template): passed',
    'only slow pages: passed',
  ]);
});

test('the error in docs/models.md matches the program', async () => {
  const [, message = '', hint = ''] = /^ {4}(sql\/mart\/slow_pages.*)\n {4}(.*)$/m.exec(docs) ?? [];
  const wrong = example.replace('tests: [not_null]', 'test: [not_null]');
  await expectBadModel(loadFiles({ 'mart/slow_pages.sql': wrong }), message, hint);
});

test('docs/models.md lists the shipped models', async () => {
  const [, section = ''] = /^## Shipped models\n([\s\S]*?)^## /m.exec(docs) ?? [];
  const cells = [...section.matchAll(/^\|[^|]*\|([^|]*)\|$/gm)].map(([, cell = '']) => cell);
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => `mart.${name}`));
  const shipped = await loadModels([sqlFolder(join(repository, 'sql'))]);
  const found = gaps(
    shipped.map(({ name }) => name),
    listed,
    {
      adds: 'a model',
      missing: (model) => `docs/models.md does not list ${model}`,
      extra: (model) => `docs/models.md lists ${model}, which sql/ does not have`,
    },
  );
  expect(found).toEqual([]);
});
