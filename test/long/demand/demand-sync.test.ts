import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { capture } from '../../app/cli/capture.ts';
import { projectFolder } from '../../support/project.ts';
import { type Shown, serveSearchConsole } from '../../support/search-console-server.ts';

const DAY = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
const SITE = 'https://www.example.com/';

/** Ten days, three days ago the last; half of what is shown has no query. */
function shown(): Shown[] {
  return Array.from({ length: 10 }, (_, index) => index + 3).flatMap((ago) =>
    ['a', 'b'].flatMap((path, place) =>
      [null, 'tea'].map((query) => ({
        day: dayBefore(ago),
        page: `${SITE}${path}`,
        query,
        device: 'MOBILE' as const,
        clicks: ago + place + (query === null ? 1 : 0),
        impressions: 40 + ago,
        position: 2,
      })),
    ),
  );
}

async function project(server: { readonly origin: string; readonly credentials: object }) {
  const folder = await projectFolder();
  const key = join(folder, 'key.json');
  writeFileSync(key, JSON.stringify(server.credentials));
  // The library reads it from the environment, which `.env` gives to the process, and here to the next test.
  onTestFinished(() => {
    delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
    delete process.env.GOOGLE_CLOUD_PROJECT;
  });
  writeFileSync(join(folder, '.env'), 'GOOGLE_APPLICATION_CREDENTIALS=key.json\nGOOGLE_CLOUD_PROJECT=test\n');
  appendFileSync(join(folder, 'crawlhouse.yaml'), `search_console: { endpoint: '${server.origin}' }\n`);
  const sync = (...more: string[]) =>
    capture('demand', 'sync', '--site', SITE, '--project-dir', folder, ...more);
  const rows = async (sql: string): Promise<object[]> =>
    JSON.parse((await capture('query', sql, '--format', 'json', '--project-dir', folder)).stdout) as object[];
  return { folder, sync, rows };
}

test('sync reads each day once except the last three, and pages have all their clicks', async () => {
  const server = await serveSearchConsole('sc-domain:example.com', shown());
  const { sync, rows } = await project(server);
  const first = await sync('--json');
  expect([first.code, first.stderr]).toEqual([0, '']);
  const total = server.shown.reduce((sum, one) => sum + one.clicks, 0);
  const unnamed = server.shown.reduce((sum, one) => sum + (one.query === null ? one.clicks : 0), 0);
  expect(JSON.parse(first.stdout)).toMatchObject({
    property: 'sc-domain:example.com',
    asked: 10,
    changed: 10,
    rows: 40,
    error: null,
    clicks: total,
    total_clicks: total,
    unnamed_clicks: unnamed,
    span: { from: dayBefore(12), to: dayBefore(3), days: 10 },
  });
  // One question for the days, then two a day.
  expect(server.queries).toHaveLength(21);
  const byPage = 'SELECT url, sum(clicks) AS clicks FROM mart.ranking_performance GROUP BY url ORDER BY url';
  expect(await rows(byPage)).toEqual(
    ['a', 'b'].map((path) => ({
      url: `${SITE}${path}`,
      clicks: server.shown
        .filter(({ page }) => page === `${SITE}${path}`)
        .reduce((sum, one) => sum + one.clicks, 0),
    })),
  );
  expect(await rows('SELECT count(*) AS n FROM mart.ranking_performance WHERE query IS NULL')).toEqual([
    { n: 20 },
  ]);

  server.queries.length = 0;
  server.shown = server.shown.map((one) =>
    one.day === dayBefore(4) && one.query !== null ? { ...one, clicks: 39 } : one,
  );
  const second = await sync();
  expect(second.code).toBe(0);
  expect(second.stdout).toContain('3 read, 1 new or changed');
  expect(server.queries).toHaveLength(7);
  expect(
    await rows(`SELECT max(clicks) AS most FROM mart.ranking_performance WHERE date = '${dayBefore(4)}'`),
  ).toEqual([{ most: 39 }]);
  // What changes back is what it was.
  server.shown = shown();
  expect((await sync()).code).toBe(0);
  expect(await rows('SELECT CAST(sum(clicks) AS BIGINT) AS clicks FROM mart.ranking_performance')).toEqual([
    { clicks: total },
  ]);
});

test('a quota ends a sync with the days read so far, and the next sync reads the rest', async () => {
  const server = await serveSearchConsole('sc-domain:example.com', shown());
  const { sync, rows } = await project(server);
  const body = {
    error: {
      code: 403,
      message: 'Search Analytics load quota exceeded.',
      errors: [{ reason: 'quotaExceeded' }],
    },
  };
  const push = server.queries.push.bind(server.queries);
  // The days, then four days.
  server.queries.push = (...one) => {
    if (server.queries.length === 8) server.failures.push({ status: 403, body });
    return push(...one);
  };
  const cut = await sync();
  expect([cut.code, cut.stderr]).toEqual([3, expect.stringContaining('load quota exceeded')]);
  expect(cut.stderr).toContain('it requests only missing days');
  const days = 'SELECT count(DISTINCT date) AS days FROM mart.ranking_performance';
  expect(await rows(days)).toEqual([{ days: 4 }]);
  server.queries.push = push;
  const rest = await sync();
  expect([rest.code, rest.stdout]).toEqual([0, expect.stringContaining('9 read')]);
  expect(await rows(days)).toEqual([{ days: 10 }]);
});

test('a day that cannot be read affects only itself, and the next sync reads it', async () => {
  const server = await serveSearchConsole('sc-domain:example.com', shown());
  const { sync, rows } = await project(server);
  const push = server.queries.push.bind(server.queries);
  // The days, then two days; the answer of the third is none.
  server.queries.push = (...one) => {
    if (server.queries.length === 4) server.failures.push({ status: 200, body: { rows: 'none' } });
    return push(...one);
  };
  const first = await sync('--json');
  const said = JSON.parse(first.stdout);
  expect([first.code, said.asked, said.failed_days]).toEqual([4, 9, [dayBefore(5)]]);
  expect(first.stderr).toContain(`sc-domain:example.com, ${dayBefore(5)}: `);
  const days = 'SELECT count(DISTINCT date) AS days FROM mart.ranking_performance';
  expect(await rows(days)).toEqual([{ days: 9 }]);
  server.queries.push = push;
  const rest = await sync('--json');
  expect([rest.code, JSON.parse(rest.stdout).failed_days]).toEqual([0, []]);
  expect(await rows(days)).toEqual([{ days: 10 }]);
});

test('a website that the account cannot read is refused with the readable properties', async () => {
  const server = await serveSearchConsole('sc-domain:other.example', []);
  const { sync } = await project(server);
  const { code, stderr } = await sync();
  expect([code, stderr]).toEqual([2, expect.stringContaining('properties: sc-domain:other.example')]);
});

test('gaps are the days that Search Console has and no rows by URL are stored for', async () => {
  const server = await serveSearchConsole('sc-domain:example.com', shown());
  const { folder, sync, rows } = await project(server);
  const { span } = JSON.parse((await sync('--days', '5', '--json')).stdout);
  const exported = [8, 9].map((ago) => `${dayBefore(ago)},${SITE}a,3,30,2`);
  writeFileSync(join(folder, 'pages.csv'), ['date,page,clicks,impressions,position', ...exported].join('\n'));
  const add = ['demand', 'add', join(folder, 'pages.csv'), '--site', SITE, '--project-dir', folder];
  expect((await capture(...add)).code).toBe(0);
  const before = await rows('SELECT * FROM mart.ranking_performance ORDER BY ALL');
  server.queries.length = 0;
  const said = await sync('--gaps', '--json');
  expect([said.code, said.stderr]).toEqual([0, '']);
  const stored = server.shown.filter(({ day }) => day >= span.from);
  const clicks = (of: typeof stored) => of.reduce((sum, one) => sum + one.clicks, 0);
  expect(JSON.parse(said.stdout)).toMatchObject({
    span: { from: dayBefore(12), to: dayBefore(3), days: 10 },
    // The span of a sync begins with a day in Pacific time.
    missing: [
      { from: dayBefore(12), to: dayBefore(10), days: 3 },
      { from: dayBefore(7), to: span.days === 4 ? dayBefore(7) : dayBefore(6), days: 5 - span.days },
    ],
    anonymized: {
      clicks: clicks(stored.filter(({ query }) => query === null)),
      of: clicks(stored),
      days: span.days,
      unknown_days: 2,
    },
  });
  expect(server.queries).toHaveLength(1);
  expect(await rows('SELECT * FROM mart.ranking_performance ORDER BY ALL')).toEqual(before);
  const days = /--days (\d+)/.exec((await sync('--gaps')).stdout)?.[1] ?? '';
  expect((await sync('--days', days)).code).toBe(0);
  expect((await sync('--gaps')).stdout).toContain('10 stored, 0 missing');
});
