import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { runModels } from '../../../support/run-models.ts';
import { openWarehouse } from './test-warehouse.ts';

const LINKS = 300_000;

// Every link leads to a target of its own, from a page of its own: nothing is smaller once it is grouped.
test('hundreds of thousands of broken links are grouped on disk, within the memory limit', async () => {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  await connection.run(`
    CREATE TABLE raw.crawl_links AS
    SELECT 'c1' AS _crawl_id, 'p1' AS _project_id, 404::BIGINT AS target_status, range % 2 = 0 AS follow,
      true AS intern, 'https://www.example.com/section/page-number-' || range AS origin,
      'https://www.example.com/gone/target-number-' || (range // 2) AS target, 'the text of link number ' || range AS anchor
    FROM range(${LINKS})`);
  await connection.run("SET memory_limit = '120MB'");
  const models = (await loadModels([sqlFolder(join(import.meta.dirname, '../../../../sql'))]))
    .filter(({ name }) => ['mart.links', 'mart.pages', 'mart.links_to_broken_pages'].includes(name))
    .map((model) => ({ ...model, tests: [] }));
  await runModels({ connection, models, changed: 'all', runId: 'r', logger: silentLogger });
  expect(
    await connection.jsonRows(`
      SELECT count(*) AS targets, sum(links)::BIGINT AS links, sum(follow_links)::BIGINT AS follow_links,
        sum(origin_pages)::BIGINT AS origin_pages, sum(len(sample_anchors))::BIGINT AS anchors
      FROM mart.links_to_broken_pages`),
  ).toEqual([
    {
      targets: `${LINKS / 2}`,
      links: `${LINKS}`,
      follow_links: `${LINKS / 2}`,
      origin_pages: `${LINKS}`,
      anchors: `${LINKS}`,
    },
  ]);
});
