import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../../../src/etl/project/sql/plan/plan-models.ts';
import { selectModels } from '../../../../src/etl/project/sql/plan/select-models.ts';
import { runModels } from '../../../support/run-models.ts';
import { createTable, openWarehouse } from './test-warehouse.ts';

/** What a page really is, whatever a crawl sees of it. */
const truth = fc.oneof(
  {
    arbitrary: fc.record({
      is: fc.constant('page' as const),
      slow: fc.boolean(),
      title: fc.constantFrom('x', 'y'),
    }),
    weight: 6,
  },
  fc.constant({ is: 'gone' as const }),
  fc.record({ is: fc.constant('moved' as const), to: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') }),
);
/** How a crawl meets it. */
const sight = fc.constantFrom(
  'seen',
  'seen',
  'seen',
  'seen',
  'unlinked',
  'rechecked',
  'blocked',
  'refused',
  'broken',
  'silent',
);
const version = fc.record({ truth, sight });
const URLS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const site = fc.record({
  pages: fc.tuple(...URLS.map(() => fc.tuple(version, version))),
  isCut: fc.tuple(fc.boolean(), fc.boolean()).map(([one, other]) => [one && other, false] as const),
});
type Site = typeof site extends fc.Arbitrary<infer T> ? T : never;
type Version = Site['pages'][number][number];

const PAGE = {
  _crawl_id: 'VARCHAR',
  _project_id: 'VARCHAR',
  url: 'VARCHAR',
  status_code: 'BIGINT',
  title: 'VARCHAR',

  load_time: 'BIGINT',
  fetch_status: 'VARCHAR',
  robots_txt_denied: 'BOOLEAN',
  redirect_location: 'VARCHAR',
  processing_warnings: 'VARCHAR[]',
};
const REQUEST = {
  _crawl_id: 'VARCHAR',
  _project_id: 'VARCHAR',
  url: 'VARCHAR',
  kind: 'VARCHAR',
  status_code: 'BIGINT',
  redirect_location: 'VARCHAR',
  final_redirect_location: 'VARCHAR',
  final_redirect_status: 'BIGINT',
};

/** The answer of a page to a crawler that the server lets in. */
function answer({ truth: one }: Version): object {
  if (one.is === 'gone') return { status_code: 404 };
  if (one.is === 'moved') return { status_code: 301, redirect_location: one.to };
  return { status_code: 200, title: one.title, load_time: one.slow ? 9000 : 10 };
}

/** The row that a crawl has of a page; null for none. */
function rowOf(page: Version): object | null {
  if (page.sight === 'unlinked' || page.sight === 'rechecked') return null;
  if (page.sight === 'blocked') return { robots_txt_denied: true };
  if (page.sight === 'refused') return { status_code: 403, title: 'Forbidden' };
  if (page.sight === 'silent') return { fetch_status: 'unfetched_exception' };
  if (page.sight === 'broken') return { status_code: 200, processing_warnings: ['unreadable_content'] };
  return answer(page);
}

const models = await loadModels([sqlFolder(join(import.meta.dirname, '../../../../sql'))]);

/** What the models say of many sites: rows by the project and the URL. */
async function compare(sites: readonly Site[]) {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  const crawls = sites.flatMap(({ isCut }, at) =>
    [0, 1].map((number) => ({
      id: `s${at}c${number}`,
      project_id: `s${at}`,
      ended_at: number,
      end_reason: isCut[number] ? 'max_depth_reached' : 'ok',
    })),
  );
  const rows = sites.flatMap(({ pages }, at) =>
    pages.flatMap((versions, place) =>
      versions.flatMap((page, number) => {
        const row = rowOf(page);
        return row === null
          ? []
          : [{ _crawl_id: `s${at}c${number}`, _project_id: `s${at}`, url: URLS[place], ...row }];
      }),
    ),
  );
  const requests = sites.flatMap(({ pages }, at) =>
    pages.flatMap(([, page], place) => {
      if (page.sight !== 'rechecked') return [];
      const { to } = { to: undefined, ...page.truth };
      const end = to === undefined ? {} : { final_redirect_location: to, final_redirect_status: 200 };
      return [
        {
          _crawl_id: `s${at}c1`,
          _project_id: `s${at}`,
          url: URLS[place],
          kind: 'recheck',
          ...answer(page),
          ...end,
        },
      ];
    }),
  );
  const record = { id: 'VARCHAR', project_id: 'VARCHAR', ended_at: 'BIGINT', end_reason: 'VARCHAR' };
  await createTable(connection, 'raw.crawls', record, crawls);
  // A start page in each, so that each crawl has a page.
  const starts = crawls.map(({ id, project_id }) => ({
    _crawl_id: id,
    _project_id: project_id,
    url: 'start',
    status_code: 200,
    title: 'start',
    load_time: 10,
  }));
  await createTable(connection, 'raw.crawl_pages', PAGE, [...starts, ...rows]);
  await createTable(connection, 'raw.crawl_requests', REQUEST, requests);
  const load = { unit: 'VARCHAR', dataset: 'VARCHAR', source_kind: 'VARCHAR', source_id: 'VARCHAR' };
  await createTable(
    connection,
    'ops.loads',
    { ...load, project_id: 'VARCHAR', run_id: 'VARCHAR', loaded_at: 'TIMESTAMPTZ' },
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
      ['status_code', 'load_time', 'title'].map((field) => ({ unit: `crawl_pages/${id}`, field })),
    ),
  );
  const plan = selectModels(await planModels({ connection, models }), ['+issue_changes', '+page_changes']);
  const wanted = plan.map(({ model }) => model);
  await runModels({ connection, models: wanted, changed: 'all', runId: 'run', logger: silentLogger });
  const issues = await connection.jsonRows(
    "SELECT project_id, url, change, moved_to FROM mart.page_issue_changes WHERE issue = 'slow' AND change IS NOT NULL",
  );
  const changes = await connection.jsonRows(
    'SELECT project_id, url, change, reason, moved_to FROM mart.page_changes',
  );
  const counts = await connection.jsonRows(
    `SELECT *, pages - new_pages - remaining_pages - unseen_pages AS unsaid,
       previous_pages - fixed_pages - missing_pages - remaining_pages AS unsaid_before
     FROM mart.issue_changes WHERE previous_crawl_id IS NOT NULL AND new_pages IS NOT NULL`,
  );
  return { issues, changes, counts };
}

type Row = Readonly<Record<string, unknown>>;

/** Whether a page is slow in truth, at a URL, or where it has moved to. */
const isSlow = (page: Version | undefined): boolean => page?.truth.is === 'page' && page.truth.slow;

const GONE: Version = { truth: { is: 'gone' }, sight: 'unlinked' };

/** What a person who knows the site would object to. */
function objections(one: Site, issues: readonly Row[], changes: readonly Row[]): string[] {
  const before = new Map(URLS.map((url, at) => [url as string, one.pages[at]?.[0]]));
  const now = new Map(URLS.map((url, at) => [url as string, one.pages[at]?.[1]]));
  const said: string[] = [];
  const object = (isWrong: boolean, row: Row, why: string): void => {
    if (isWrong) said.push(`${String(row.url)} ${String(row.change)}: ${why}`);
  };
  const isSeen = (page: Version | undefined): boolean =>
    page?.sight === 'seen' || page?.sight === 'rechecked';
  for (const row of issues) {
    const [then, today] = [before.get(String(row.url)), now.get(String(row.url))];
    if (row.change === 'fixed') {
      object(isSlow(today), row, 'it is slow');
      object(!isSeen(today), row, 'nobody requested it');
      // The page has moved to an address that is new, and it alone: it is the same page.
      const movers = one.pages.filter(([, { truth: to }]) => to.is === 'moved' && to.to === row.moved_to);
      const wasThere = rowOf(before.get(String(row.moved_to)) ?? GONE) !== null;
      const isThere =
        now.get(String(row.moved_to))?.sight === 'seen' && isSlow(now.get(String(row.moved_to)));
      object(
        row.moved_to !== null && !wasThere && isThere && movers.length === 1,
        row,
        'it is slow where it is now',
      );
    }
    if (row.change === 'new') {
      object(!isSlow(today), row, 'it is not slow');
      object(then?.sight === 'seen' && isSlow(then), row, 'it was slow');
      object(
        !['seen', 'unlinked', 'rechecked'].includes(then?.sight ?? ''),
        row,
        'the previous crawl did not read it',
      );
      object(one.isCut[0] && then?.sight !== 'seen', row, 'the previous crawl was cut');
    }
    if (row.change === 'missing')
      object(today?.sight === 'seen' && today.truth.is !== 'moved', row, 'it was read');
    if (row.change === 'unseen')
      object(then?.sight === 'seen' && !one.isCut[0] && then.truth.is !== 'moved', row, 'it was read before');
  }
  for (const row of changes) {
    const [then, today] = [before.get(String(row.url)), now.get(String(row.url))];
    const isPage = today?.truth.is === 'page';
    if (row.change === 'removed' || row.change === 'moved')
      object(isPage || !isSeen(today), row, 'nobody saw it go');
    if (row.change === 'title') {
      object(then?.sight !== 'seen' || today?.sight !== 'seen', row, 'nobody read it twice');
    }
    if (row.change === 'added') object(one.isCut[0], row, 'the previous crawl was cut');
  }
  // Two pages that were read at one URL are compared.
  for (const url of URLS) {
    const [then, today] = [before.get(url), now.get(url)];
    if (
      then?.sight !== 'seen' ||
      today?.sight !== 'seen' ||
      then.truth.is !== 'page' ||
      today.truth.is !== 'page'
    )
      continue;
    const row = issues.find((issue) => issue.url === url);
    const due = then.truth.slow
      ? today.truth.slow
        ? 'remaining'
        : 'fixed'
      : today.truth.slow
        ? 'new'
        : undefined;
    if (row?.change !== due) said.push(`${url}: ${String(row?.change)}, not ${String(due)}`);
    const isRetitled = changes.some((change) => change.url === url && change.change === 'title');
    if (isRetitled !== (then.truth.title !== today.truth.title)) said.push(`${url}: title ${isRetitled}`);
  }
  return said;
}

test('no comparison claims more than a full knowledge of both site versions supports', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(site, { minLength: 40, maxLength: 80 }), async (sites) => {
      const { issues, changes, counts } = await compare(sites);
      const said = sites.flatMap((one, at) => {
        const own = (rows: readonly Row[]) => rows.filter(({ project_id }) => project_id === `s${at}`);
        return objections(one, own(issues), own(changes)).map((why) => `site ${at}: ${why}`);
      });
      expect(said).toEqual([]);
      expect(counts.filter((row) => Number(row.unsaid) !== 0 || Number(row.unsaid_before) !== 0)).toEqual([]);
    }),
    { numRuns: 3, seed: 20261128, endOnFailure: true },
  );
});
