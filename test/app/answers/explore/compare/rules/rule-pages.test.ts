import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ComparedCrawl } from '../../../../../../src/app/answers/explore/compare/compared-crawls.ts';
import { failRules } from '../../../../../../src/app/answers/explore/compare/rules/fail-rules.ts';
import {
  type RulesAnswer,
  readRules,
} from '../../../../../../src/app/answers/explore/compare/rules/read-rules.ts';
import {
  createTable,
  openWarehouse,
  type TestWarehouse,
} from '../../../../../etl/pipeline/transform/test-warehouse.ts';

/** The rules on rows of `mart.pages`: of a website, and of its preview on another host. */
const OLD = 'https://www.shop.example';
const NEW = 'https://preview.shop.example';
const COLUMNS = {
  ...{ crawl_id: 'VARCHAR', project_id: 'VARCHAR', url: 'VARCHAR', depth: 'BIGINT', status_code: 'BIGINT' },
  ...{ observation: 'VARCHAR', observation_reason: 'VARCHAR', is_noindex: 'BOOLEAN', title: 'VARCHAR' },
  ...{ canonical_kind: 'VARCHAR', canonical_url: 'VARCHAR', is_robots_denied: 'BOOLEAN' },
  ...{ redirect_location: 'VARCHAR', final_redirect_location: 'VARCHAR' },
  ...{ is_indexable: 'BOOLEAN', non_indexable_reason: 'VARCHAR' },
};

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openWarehouse();
  await opened.connection.run('CREATE SCHEMA IF NOT EXISTS mart');
});
afterAll(() => opened?.[Symbol.asyncDispose]());

type Page = Readonly<Record<string, string | number | boolean | null>>;
const whole = (url: string, more: Page = {}): Page => ({
  ...{ url, depth: 1, status_code: 200, observation: 'read', is_noindex: false, title: 'T' },
  ...{ canonical_kind: 'self', canonical_url: url, is_robots_denied: false, is_indexable: true, ...more },
});
const unread = (observation: string, reason: string, status: number | null): Page => ({
  ...{ observation, observation_reason: reason, status_code: status, is_noindex: null, title: null },
  ...{ canonical_kind: null, canonical_url: null, is_indexable: false, non_indexable_reason: reason },
});
const NOT_READ: Readonly<Record<string, Page>> = {
  silent: unread('unreadable', 'no_answer', null),
  error: unread('unreadable', 'server_error', 500),
  forbidden: unread('refused', 'forbidden', 403),
  challenge: unread('refused', 'forbidden', 503),
  later: unread('refused', 'try_later', 503),
  blocked: { ...unread('not_requested', 'blocked_by_robots', null), is_robots_denied: true },
  gone: unread('gone', 'not_found', 404),
};

const crawl = (crawl_id: string): ComparedCrawl => ({
  ...{ crawl_id, project_id: `p-${crawl_id}`, project: `Shop ${crawl_id}`, crawl_number: 1 },
  ...{ crawl_config_id: null, crawl_config_name: null, ended_at: '2026-03-09T03:00:00Z', is_complete: true },
  scope_note: null,
});

async function compared(rules: string, from: readonly Page[], to: readonly Page[]): Promise<RulesAnswer> {
  const { connection } = opened;
  const pages = Object.entries({ from, to }).flatMap(([crawl_id, own]) =>
    own.map((page) => ({ ...page, crawl_id, project_id: `p-${crawl_id}` })),
  );
  await createTable(connection, 'mart.pages', COLUMNS, pages);
  const texts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'VARCHAR']));
  const told = Object.keys(COLUMNS).flatMap((column_name) =>
    ['from', 'to'].map((crawl_id) => ({
      ...{ crawl_id, column_name, part: column_name, dataset: 'crawl_pages' },
    })),
  );
  const names = ['crawl_id', 'dataset', 'column_name', 'part'];
  await createTable(connection, 'mart.crawl_columns', texts(names), told);
  await createTable(connection, 'mart.projects', texts(['project_id', 'start_url']));
  await createTable(connection, 'mart.crawls', { ...texts(['crawl_id']), has_all_links: 'BOOLEAN' }, [
    { crawl_id: 'from', has_all_links: true },
  ]);
  await createTable(connection, 'mart.page_demand', { ...texts(['crawl_id', 'url']), clicks: 'BIGINT' });
  const rows = async (
    sql: string,
    _: AbortSignal,
    parameters: ReadonlyMap<string, string | null> = new Map(),
  ): Promise<object[]> => {
    const read = await connection.inner.runAndReadAll(sql, Object.fromEntries(parameters));
    return read
      .getRowObjects()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'bigint' ? Number(value) : value,
          ]),
        ),
      );
  };
  const chosen = await failRules(rules, async () => 'lost: { indexable_pages: 0 }\n');
  return readRules({ rows }, { from: crawl('from'), to: crawl('to') }, chosen, AbortSignal.timeout(60_000));
}

const PATHS = ['/', '/a', '/b', '/c'];
const site = (host: string, more: Page = {}): Page[] =>
  PATHS.map((path) => whole(host + path, { depth: path === '/' ? 0 : 1, ...more }));
const foundBy = ({ rules }: RulesAnswer) => rules.map(({ rule, status, found }) => [rule, status, found]);

test('the compared host is that of the start page, not that of redirects or of a larger subdomain', async () => {
  const http = PATHS.map((path) => ({
    ...whole(`http://www.shop.example${path}`, { depth: path === '/' ? 0 : 1, is_indexable: false }),
    ...{ status_code: 301, redirect_location: OLD + path },
  }));
  const https = site(OLD, { depth: 2 });
  const blog = ['/1', '/2', '/3', '/4', '/5', '/6'].map((path) => whole(`https://blog.shop.example${path}`));
  const preview = site(NEW, { is_noindex: true });
  for (const from of [
    [...http, ...https],
    [...https, ...http, ...blog],
    [...site(OLD), ...blog],
  ]) {
    const answer = await compared('new-noindex', from, preview);
    expect(answer).toMatchObject({ matched_by: 'path', from_origin: OLD, to_origin: NEW, matched: 4 });
    expect(foundBy(answer)).toEqual([['new-noindex', 'broken', 4]]);
  }
});

test('two hosts with as many pages, neither of them that of the start page, are an error', async () => {
  const from = ['https://a.example', 'https://b.example'].flatMap((host) => site(host, { depth: 1 }));
  await expect(compared('new-noindex', from, site(NEW))).rejects.toThrow(
    'crawl 1 of 2026-03-09 read as many pages of https://a.example as of https://b.example',
  );
  // Without a start page or its redirect, the host with the most pages is compared.
  const more = await compared('new-noindex', [...from, whole('https://b.example/d')], site(NEW));
  expect(more.from_origin).toBe('https://b.example');
});

test.each([
  ['silent', 0],
  ['error', 0],
  ['forbidden', 0],
  ['later', 0],
  ['blocked', 4],
  ['gone', 4],
])('of four indexable pages that are now %s, %i are lost', async (state, lost) => {
  const to = [...site(NEW), ...PATHS.map((path) => whole(`${NEW}/lost${path}`, NOT_READ[state]))];
  const from = [...site(OLD), ...PATHS.map((path) => whole(`${OLD}/lost${path}`))];
  const answer = await compared('rules.yaml', from, to);
  expect(foundBy(answer)).toEqual([['lost.indexable_pages', lost > 0 ? 'broken' : 'passed', lost]]);
});

test.each([
  ['forbidden', 'gone', []],
  ['later', 'gone', []],
  ['silent', 'gone', []],
  ['ok', 'gone', ['new-404']],
  ['absent', 'gone', ['new-404']],
  ['forbidden', 'error', []],
  ['gone', 'error', ['new-5xx']],
  ['ok', 'error', ['new-5xx']],
  ['ok', 'later', ['new-5xx']],
  ['ok', 'challenge', []],
  ['absent', 'challenge', []],
  ['ok', 'moved', ['new-redirect']],
  ['unasked', 'moved', []],
])('a page that was %s and is %s breaks %j', async (before, after, broken) => {
  const states: Readonly<Record<string, Page>> = {
    ...{ ...NOT_READ, ok: {}, moved: { status_code: 301 } },
    unasked: unread('refused', 'forbidden', 200),
  };
  const from = before === 'absent' ? [] : [whole(`${OLD}/x`, states[before])];
  const to = [...site(NEW), whole(`${NEW}/x`, states[after])];
  const { rules } = await compared('new-404,new-5xx,new-redirect', [...site(OLD), ...from], to);
  expect(rules.filter(({ status }) => status === 'broken').map(({ rule }) => rule)).toEqual(broken);
});

test.each([
  [`${NEW}/`, 'path', 'broken'],
  [`${NEW}/a?y=1`, 'path', 'broken'],
  [null, 'not_set', 'broken'],
  [`${NEW}/a`, 'path', 'passed'],
  [`${NEW}/A/`, 'path', 'passed'],
  [`${OLD}/a`, 'path', 'passed'],
])(
  'a canonical that was /a and is %j (%s): the rule is %s',
  async (canonical_url, canonical_kind, status) => {
    const canonical = { canonical_url: `${OLD}/a`, canonical_kind: 'path' };
    const from = [...site(OLD), whole(`${OLD}/a?x=1`, canonical)];
    const to = [...site(NEW), whole(`${NEW}/a?x=1`, { canonical_url, canonical_kind })];
    expect((await compared('lost-canonical', from, to)).rules).toMatchObject([{ status }]);
  },
);
