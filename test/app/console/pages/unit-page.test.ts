import { beforeAll, expect, test } from 'vitest';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { consoleProject, HOSTILE, HUGE, ledgerUnit } from '../../../support/console-project.ts';
import { sharedConsole } from '../../../support/open-console.ts';
import { sharedFolder } from '../../../support/temporary.ts';

const folder = sharedFolder();
let settings: Settings;

beforeAll(async () => {
  settings = await consoleProject(
    folder,
    async (connection) => {
      await connection.run(`INSERT INTO ops.loads BY NAME SELECT 'crawl_pages/c1' AS unit, 'crawl_pages' AS dataset,
          'crawl' AS source_kind, 'c1' AS source_id, 'p1' AS project_id, NULL AS reported, ${HUGE} AS received,
          ${HUGE} - 60 AS staged, 60 AS rejected, ${HUGE} - 61 AS loaded, ${HUGE} - 61 AS queryable, 'stream' AS route,
          'csv' AS format, 5000 AS bytes, 1.5 AS seconds, 1 AS attempts, 'run-two' AS run_id,
          TIMESTAMPTZ '2026-11-20 06:00:00Z' AS loaded_at`);
      await connection.run(
        `INSERT INTO ops.rejects BY NAME SELECT 'crawl_pages/c1' AS unit, 'part-1.csv' AS file, i AS line,
           CASE WHEN i > 0 THEN 'depth' END AS field, CASE WHEN i % 2 = 0 THEN ? ELSE '' END AS value, 'not a number' AS reason
         FROM range(60) AS t(i)`,
        [HOSTILE],
      );
      await connection.run(`INSERT INTO ops.schema_changes BY NAME SELECT 'crawl_pages' AS dataset,
          'crawl_pages/c1' AS unit, 'depth' AS field, 'widened' AS change, 'INTEGER' AS before, 'BIGINT' AS after,
          TIMESTAMPTZ '2026-11-20 06:00:00Z' AS changed_at`);
    },
    {
      units: [
        ledgerUnit('crawl_pages/c1'),
        ledgerUnit('log_events/p1/2026-11-01', {
          status: 'failed',
          attempts: 4,
          failures: 3,
          failing_since: '2026-11-18T06:00:00.000Z',
          error: { code: 'cut_short', message: HOSTILE, hint: 'run again' },
          next_try_at: '2999-01-01T00:00:00.000Z',
        }),
      ],
    },
  );
});

const shared = sharedConsole(() => settings);

test('a unit shows its six counts, and marks differences', async () => {
  const { ask } = shared();
  const text = await (await ask('/units/crawl_pages/c1.json')).text();
  expect(text).toContain(`"received": ${HUGE}`);
  const unit = JSON.parse(text);
  expect(unit.load.counts.reported).toBeNull();
  expect(unit.load.differing).toEqual(['loaded']);
  expect(unit.schema_changes).toMatchObject([{ field: 'depth', before: 'INTEGER', after: 'BIGINT' }]);
  const page = await (await ask('/units/crawl_pages/c1')).text();
  expect(page).toContain('<strong>9,007,199,254,740,993</strong>');
  expect(page).toContain('The service reports no count.');
  expect(page).toContain('<a href="/crawls/c1" title="c1">Crawl c1</a>');
});

test('rejects show file, line, field, value and reason, in pages', async () => {
  const { ask } = shared();
  const unit = JSON.parse(await (await ask('/units/crawl_pages/c1.json?page=2')).text());
  expect(unit.paging).toEqual({ page: 2, pages: 2, total: 60 });
  expect(unit.rejects).toHaveLength(10);
  expect(unit.rejects[0]).toMatchObject({ line: 50, field: 'depth', reason: 'not a number' });
  const page = await (await ask('/units/crawl_pages/c1')).text();
  expect(page).toContain('href="/units/crawl_pages/c1?page=2"');
  // The whole line has no field; an empty value is no NULL.
  expect(page).toContain('<td class="number" data-name="line">0</td><td data-name="field">–</td>');
  expect(page).toContain('<td data-name="field">depth</td><td data-name="value"></td>');
  expect(page).not.toContain('<script>alert');
});

test('a failing unit shows why, since when, and the next try', async () => {
  const { ask } = shared();
  const page = await (await ask('/units/log_events/p1/2026-11-01')).text();
  expect(page).toContain('3 runs in a row, since <time datetime="2026-11-18T06:00:00.000Z">');
  expect(page).toContain('crawlhouse tries the unit again after <time datetime="2999-01-01T00:00:00.000Z">');
  expect(page).toContain('<strong>To do:</strong> run again');
  expect(page).toContain('It is not in the warehouse.');
});

test('an unknown unit returns 404, with similar names', async () => {
  const { ask } = shared();
  const answer = await ask('/units/crawl_pages/c2');
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain('Did you mean crawl_pages/c1?');
  expect((await ask('/units/crawl_pages/c2.json')).status).toBe(404);
});
