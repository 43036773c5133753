import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../../../src/etl/project/sql/plan/plan-models.ts';
import { selectModels } from '../../../../src/etl/project/sql/plan/select-models.ts';
import { testSeed } from '../../../support/random.ts';
import { runModels } from '../../../support/run-models.ts';
import { createTable, openWarehouse } from './test-warehouse.ts';

const URLS = ['a', 'b', 'c', 'd', 'e'] as const;
const CRAWLS = 4;

/** What a page really is during a crawl, and how the crawl meets it. */
const version = fc.record({
  truth: fc.oneof(
    { arbitrary: fc.record({ is: fc.constant('page' as const), slow: fc.boolean() }), weight: 6 },
    fc.constant({ is: 'gone' as const }),
    fc.record({ is: fc.constant('moved' as const), to: fc.constantFrom(...URLS, 'x', 'y') }),
    fc.record({ is: fc.constant('elsewhere' as const), to: fc.constantFrom(...URLS) }),
  ),
  sight: fc.constantFrom(
    'seen',
    'seen',
    'seen',
    'unlinked',
    'rechecked',
    'blocked',
    'refused',
    'broken',
    'silent',
  ),
});
type Version = typeof version extends fc.Arbitrary<infer T> ? T : never;
const site = fc.tuple(
  ...[...URLS, 'x', 'y'].map(() => fc.tuple(...Array.from({ length: CRAWLS }, () => version))),
);

function answer({ truth: one }: Version): Readonly<Record<string, unknown>> {
  if (one.is === 'gone') return { status_code: 404 };
  if (one.is === 'page') return { status_code: 200, load_time: one.slow ? 9000 : 10 };
  return { status_code: one.is === 'moved' ? 301 : 302, redirect_location: one.to };
}

/** The row that a crawl has of a page; null for none. */
function rowOf(page: Version): object | null {
  if (page.sight === 'unlinked' || page.sight === 'rechecked') return null;
  if (page.sight === 'blocked') return { robots_txt_denied: true };
  if (page.sight === 'refused') return { status_code: 403 };
  if (page.sight === 'silent') return { fetch_status: 'unfetched_exception' };
  if (page.sight === 'broken') return { status_code: 200, processing_warnings: ['unreadable_content'] };
  return answer(page);
}

const models = await loadModels([sqlFolder(join(import.meta.dirname, '../../../../sql'))]);

interface Judged {
  readonly ticket_id: string;
  readonly crawl_id: string;
  readonly url: string;
  readonly state: string | null;
  readonly moved_to: string | null;
}

async function judge(sites: readonly (readonly (readonly Version[])[])[]) {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  const crawls = sites.flatMap((_, at) =>
    Array.from({ length: CRAWLS }, (_one, number) => ({
      id: `s${at}c${number}`,
      project_id: `s${at}`,
      created_at: 1000 * number + 500,
      ended_at: 1000 * number + 900,
      end_reason: 'ok',
    })),
  );
  const all = sites.flatMap((pages, at) =>
    pages.flatMap((versions, place) =>
      versions.map((page, number) => ({
        page,
        key: { _crawl_id: `s${at}c${number}`, _project_id: `s${at}`, url: [...URLS, 'x', 'y'][place] },
      })),
    ),
  );
  const rows = all.flatMap(({ page, key }) => {
    const row = rowOf(page);
    return row === null ? [] : [{ ...key, ...row }];
  });
  const requests = all
    .filter(({ page }) => page.sight === 'rechecked')
    .map(({ page, key }) => {
      const { to } = { to: undefined, ...page.truth };
      const end = to === undefined ? {} : { final_redirect_location: to, final_redirect_status: 200 };
      return { ...key, kind: 'recheck', ...answer(page), ...end };
    });
  const key = { _crawl_id: 'VARCHAR', _project_id: 'VARCHAR', url: 'VARCHAR', status_code: 'BIGINT' };
  await createTable(
    connection,
    'raw.crawls',
    { id: 'VARCHAR', project_id: 'VARCHAR', created_at: 'BIGINT', ended_at: 'BIGINT', end_reason: 'VARCHAR' },
    crawls,
  );
  await createTable(
    connection,
    'raw.crawl_pages',
    {
      ...key,
      load_time: 'BIGINT',
      fetch_status: 'VARCHAR',
      robots_txt_denied: 'BOOLEAN',
      redirect_location: 'VARCHAR',
      processing_warnings: 'VARCHAR[]',
    },
    [
      ...rows,
      // A start page in each, so that each crawl has a page.
      ...crawls.map(({ id, project_id }) => ({
        _crawl_id: id,
        _project_id: project_id,
        url: 'start',
        status_code: 200,
      })),
    ],
  );
  await createTable(
    connection,
    'raw.crawl_requests',
    {
      ...key,
      kind: 'VARCHAR',
      redirect_location: 'VARCHAR',
      final_redirect_location: 'VARCHAR',
      final_redirect_status: 'BIGINT',
    },
    requests,
  );
  await createTable(
    connection,
    'ops.loads',
    {
      unit: 'VARCHAR',
      dataset: 'VARCHAR',
      source_kind: 'VARCHAR',
      source_id: 'VARCHAR',
      project_id: 'VARCHAR',
      run_id: 'VARCHAR',
      loaded_at: 'TIMESTAMPTZ',
    },
    crawls.map(({ id, project_id }) => ({
      unit: `crawl_pages/${id}`,
      dataset: 'crawl_pages',
      source_kind: 'crawl',
      source_id: id,
      project_id,
    })),
  );
  await createTable(
    connection,
    'ops.unit_fields',
    { unit: 'VARCHAR', field: 'VARCHAR' },
    crawls.flatMap(({ id }) =>
      ['status_code', 'load_time'].map((field) => ({ unit: `crawl_pages/${id}`, field })),
    ),
  );
  await createTable(
    connection,
    'ops.tickets',
    {
      ticket_id: 'VARCHAR',
      project: 'VARCHAR',
      issue: 'VARCHAR',
      crawl_id: 'VARCHAR',
      has_urls: 'BOOLEAN',
      state: 'VARCHAR',
      done_at: 'TIMESTAMPTZ',
    },
    sites.map((_, at) => ({
      ticket_id: `s${at}`,
      project: `s${at}`,
      issue: 'slow',
      crawl_id: `s${at}c0`,
      has_urls: false,
      state: 'done',
      done_at: '1970-01-01 00:00:01+00',
    })),
  );
  const plan = selectModels(await planModels({ connection, models }), ['+tickets']);
  await runModels({
    connection,
    models: plan.map(({ model }) => model),
    changed: 'all',
    runId: 'run',
    logger: silentLogger,
  });
  return {
    pages: await connection.rows<Judged>(
      'SELECT ticket_id, crawl_id, url, state, moved_to FROM mart.ticket_pages ORDER BY ALL',
    ),
    tickets: await connection.rows<{ ticket_id: string; effective_state: string; by: string | null }>(
      'SELECT ticket_id, effective_state, decided_by_crawl_id AS "by" FROM mart.tickets ORDER BY ALL',
    ),
  };
}

test('a ticket is verified only by a crawl that read each of its pages without the issue', async () => {
  const sites = fc.sample(site, { numRuns: 150, seed: testSeed() });
  const { pages, tickets } = await judge(sites);
  const objections: string[] = [];
  for (const row of pages) {
    const [at, number] = row.crawl_id.slice(1).split('c').map(Number);
    if (number === 0) continue;
    const pageAt = (url: string | null): Version | undefined =>
      sites[at ?? 0]?.[[...URLS, 'x', 'y'].indexOf(url ?? '')]?.[number ?? 0];
    const [own, target] = [pageAt(row.url), pageAt(row.moved_to)];
    const isSlow = (page: Version | undefined): boolean =>
      page?.sight === 'seen' && page.truth.is === 'page' && page.truth.slow;
    const isRequested = (page: Version | undefined): boolean =>
      page?.sight === 'seen' || page?.sight === 'rechecked';
    const object = (isWrong: boolean, why: string): void => {
      if (isWrong) objections.push(`${row.crawl_id} ${row.url} ${row.state}: ${why}`);
    };
    if (row.state === 'has_issue') object(!isSlow(own) && !isSlow(target), 'nothing is slow');
    else object(isSlow(own) || isSlow(target), 'it is slow');
    if (row.state !== 'clean') continue;
    object(!isRequested(own) && !isRequested(target), 'nobody requested it');
    // Only a page that is gone, or has moved, is known without its text.
    object(row.moved_to === null && own?.sight === 'rechecked' && own.truth.is === 'page', 'nobody read it');
    object(
      row.moved_to === null && own?.sight === 'seen' && own.truth.is === 'elsewhere',
      'a temporary redirect shows nothing',
    );
    object(row.moved_to !== null && !isRequested(target), 'nobody requested where it is');
  }
  const verdicts = new Set<string>();
  for (const { ticket_id, effective_state, by } of tickets) {
    verdicts.add(effective_state);
    const found = pages.filter((one) => one.ticket_id === ticket_id && one.crawl_id === `${ticket_id}c0`);
    const decided = pages.filter((one) => one.ticket_id === ticket_id && one.crawl_id === by);
    const isClean = decided.length > 0 && decided.every(({ state }) => state === 'clean');
    if (effective_state === 'verified' && !(isClean && decided.length === found.length))
      objections.push(`${ticket_id}: verified without each page`);
  }
  expect(objections).toEqual([]);
  expect([...verdicts].sort()).toEqual(['reopened', 'unknown', 'verified']);
});
