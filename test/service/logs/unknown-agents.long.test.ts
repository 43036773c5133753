import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { testSeed } from '../../support/random.ts';
import { line, long, openLogs } from './open-logs.ts';

const COMMON = '203.0.113.9 - - [23/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 512\n';
const traefik = (more: object): string =>
  `${JSON.stringify({
    StartUTC: '2026-11-23T10:00:00Z',
    ClientHost: '203.0.113.9',
    RequestMethod: 'GET',
    RequestHost: 'www.shop.example',
    RequestPath: '/a',
    DownstreamStatus: 200,
    ...more,
  })}\n`;
const haproxy =
  '203.0.113.9:33317 [23/Nov/2026:10:00:00.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"\n';
const caddy = (request: object): string =>
  `${JSON.stringify({
    ts: 1795341600,
    logger: 'http.log.access',
    status: 200,
    size: 1,
    request: { remote_ip: '203.0.113.9', method: 'GET', host: 'www.shop.example', uri: '/a', ...request },
  })}\n`;

test.for([
  ['common', COMMON, [null], 1],
  ['combined without one', line({ agent: '-' }), [true], 0],
  ['HAProxy', haproxy, [null], 1],
  ['Traefik without headers', traefik({}), [null], 1],
  [
    'Traefik with headers: this client sent none',
    traefik({}) + traefik({ 'request_User-Agent': 'Mozilla/5.0 Firefox/140.0' }),
    [true, false],
    0,
  ],
  ['Caddy without headers', caddy({}), [null], 1],
  ['Caddy with headers: this client sent none', caddy({ headers: { Accept: ['*/*'] } }), [true], 0],
  [
    'IIS without the column',
    '#Fields: date time cs-method cs-uri-stem sc-status\n2026-11-23 10:00:00 GET /a 200\n',
    [null],
    1,
  ],
] as const)('%s: is_bot follows the log', async ([, text, isBot, unknown]) => {
  const { path, add, events } = await openLogs();
  await long(path('a.log'), text);
  const { files } = await add(['a.log']);
  expect(files).toMatchObject([{ status: 'added', unknown_agents: unknown }]);
  expect((await events('is_bot')).flat()).toEqual(isBot);
  expect((await events('bot')).flat()).toEqual(isBot.map((one) => (one === true ? '(no user agent)' : null)));
});

test('a file that grows in another format is read in that format, and its copy is recognized', async () => {
  const { path, add, events } = await openLogs();
  await writeFile(path('a.log'), COMMON.repeat(3));
  expect((await add(['a.log'])).files).toMatchObject([{ events: 3, format: 'common', later_formats: [] }]);
  const grown = `${COMMON.repeat(3)}${line()}www.shop.example ${line()}`;
  await writeFile(path('a.log'), grown);
  const later = { format: 'common', later_formats: ['combined', 'host_combined'], unknown_agents: 0 };
  expect((await add(['a.log'])).files).toMatchObject([{ events: 2, ...later }]);
  await writeFile(path('a.log'), `${grown}other.example ${line()}`);
  expect((await add(['a.log'])).files).toMatchObject([{ events: 0, other_hosts: 1, rejected: 0 }]);
  await long(path('copy.log'), grown);
  expect((await add(['copy.log'])).files).toMatchObject([{ status: 'known' }]);
  expect((await events('is_bot')).flat()).toEqual([null, null, null, false, false]);
});

test('--forwarded without a chain of addresses is reported', async () => {
  const { path, add } = await openLogs();
  await long(path('a.log'), line());
  await long(path('b.log'), `${line({ url: '/b' }).trimEnd()} "66.249.66.1"\n`);
  const { files } = await add(['a.log', 'b.log'], { forwarded: true });
  expect(files.map(({ status, lacks_forwarded }) => [status, lacks_forwarded])).toEqual([
    ['added', true],
    ['added', false],
  ]);
});

test('with an unknown agent, a URL and day, and its month, count neither bots nor people', async () => {
  const { at, path, add, pages, project, resources } = await openLogs();
  at('2026-12-20T00:00:00Z');
  await long(path('a.log'), COMMON + COMMON.replace('/a', '/b'));
  await long(path('b.log'), line({ url: '/a' }) + line({ url: '/c' }));
  await add(['a.log', 'b.log']);
  for (const granularity of ['days', 'weeks', 'months'] as const) {
    const { columns = [] } = resources.dataset(project.id, `log_pages_${granularity}`) ?? {};
    const idOf = (name: string) => columns.find(({ field }) => field.name === name)?.id ?? '';
    const rows = (await pages(granularity)) as Record<string, unknown>[];
    const found = rows.map((row) =>
      ['urlpath', 'hits', 'bot_hits', 'visits', 'seo_visits', 'seo_bot_hits', 'is_crawled', 'is_active'].map(
        (name) => row[idOf(name)],
      ),
    );
    expect(found.sort()).toEqual([
      ['/a', '2', null, null, null, null, null, null],
      ['/b', '1', null, null, null, null, null, null],
      ['/c', '1', '0', '1', '0', '0', false, false],
    ]);
  }
});

test('no stored row makes a later command fail', async () => {
  const second = fc.oneof(
    fc.constantFrom(0, -1, 18_902_592_000, 9_999_999_999, -62_135_596_800, 253_402_300_799),
    fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(second, { minLength: 1, maxLength: 5 }), async (seconds) => {
      const { path, add, rows, project, pages } = await openLogs();
      await writeFile(path('a.log'), line());
      await add(['a.log']);
      await rows.use(async (connection) => {
        const lines = ServiceRows.table(`log_lines_${project.id}`);
        for (const one of seconds) {
          await connection.run(
            `INSERT INTO ${lines} BY NAME SELECT * REPLACE (${one} AS second, CAST(make_timestamp(${one} * 1000000) AS DATE) AS day,
              9007199254740991 AS line) FROM ${lines} LIMIT 1`,
          );
          await connection.run(
            `INSERT OR IGNORE INTO ${ServiceRows.table(`log_stale_days_${project.id}`)} SELECT CAST(make_timestamp(${one} * 1000000) AS DATE)`,
          );
        }
      });
      await writeFile(path('b.log'), line({ url: '/later' }));
      const { files } = await add(['b.log']);
      expect(files).toMatchObject([{ status: 'added', events: 1 }]);
      expect((await pages('days')).length).toBeGreaterThan(1);
    }),
    { seed: testSeed(), numRuns: 8, endOnFailure: true },
  );
});
