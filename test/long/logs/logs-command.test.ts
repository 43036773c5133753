import { appendFileSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fireSchedule } from '../../../src/app/cli/commands/schedule.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { loadSchedules } from '../../../src/etl/project/settings/schedules.ts';
import { capture } from '../../app/cli/capture.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { projectFolder } from '../../support/project.ts';

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const GPTBOT = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)';
const PERSON = 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0';
const DAY = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Of Googlebot's published ranges, of GPTBot's, and of nobody's. */
const ADDRESS = { google: '66.249.66.1', openai: '20.171.206.10', none: '203.0.113.5' };

interface Request {
  readonly ago: number;
  readonly path: string;
  readonly status: number;
  readonly agent: string;
  readonly address: string;
}

function clf(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${two(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}:${time.toISOString().slice(11, 19)} +0000`;
}

function lineOf({ ago, path, status, agent, address }: Request): string {
  const midnight = Math.floor(Date.now() / DAY) * DAY;
  const time = new Date(midnight - ago * DAY + 3_600_000);
  return `${address} - - [${clf(time)}] "GET ${path} HTTP/1.1" ${status} 100 "-" "${agent}"\n`;
}

/** Three days of requests: each page by the search engine, by who only says so, by an AI crawler and by people. */
function requests(): Request[] {
  const made: Request[] = [];
  for (const ago of [1, 2, 3])
    for (const [index, path] of ['/', '/a', '/b?utm=1', '/gone', '/unlinked'].entries())
      for (let n = 0; n <= index + ago; n++) {
        const status = path === '/gone' ? 404 : 200;
        made.push({ ago, path, status, agent: GOOGLEBOT, address: ADDRESS.google });
        if (n % 2 === 0) made.push({ ago, path, status, agent: GOOGLEBOT, address: ADDRESS.none });
        if (n % 3 === 0) made.push({ ago, path, status, agent: GPTBOT, address: ADDRESS.openai });
        made.push({ ago, path, status, agent: PERSON, address: ADDRESS.none });
      }
  return made;
}

const isVerified = ({ agent, address }: Request): boolean =>
  (agent === GOOGLEBOT && address === ADDRESS.google) || agent === GPTBOT;

async function ask(folder: string, ...argv: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await capture(
    'query',
    ...argv,
    '--format',
    'json',
    '--project-dir',
    folder,
  );
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout) as Record<string, unknown>[];
}

function countBy(rows: readonly Request[], key: (row: Request) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[key(row)] = (counts[key(row)] ?? 0) + 1;
  return counts;
}

function sumBy(rows: readonly Record<string, unknown>[], key: string, value: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const row of rows) sums[String(row[key])] = (sums[String(row[key])] ?? 0) + Number(row[value]);
  return sums;
}

test('access logs answer the log questions of a crawled website, and are read once', async () => {
  const folder = await projectFolder();
  const site = await serveSite({
    '/': pageWith('/a', '/gone'),
    '/a': pageWith('/b?utm=1'),
    '/b?utm=1': pageWith('/'),
  });
  expect((await capture('crawl', site.origin, '--project-dir', folder)).code).toBe(0);
  expect(await ask(folder, '--question', 'q16')).toEqual([]);

  const all = requests();
  const log = join(folder, 'access.log.gz');
  writeFileSync(log, gzipSync(`${all.map(lineOf).join('')}GET me\n`));
  const refused = await capture('logs', 'add', log, '--on-reject', 'fail', '--project-dir', folder);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('1 line of')]);
  expect(refused.stderr).toContain(`not the format in line ${all.length + 1}`);
  expect(await ask(folder, 'SELECT count(*) AS n FROM mart.log_events')).toEqual([{ n: 0 }]);

  const added = await capture(
    'logs',
    'add',
    log,
    '--on-reject',
    'quarantine',
    '--json',
    '--project-dir',
    folder,
  );
  expect([added.code, added.stderr]).toEqual([0, '']);
  const { files, bots } = JSON.parse(added.stdout);
  expect(files).toMatchObject([{ status: 'added', lines: all.length + 1, events: all.length, rejected: 1 }]);
  const google = all.filter(({ agent }) => agent === GOOGLEBOT);
  expect(bots).toContainEqual({
    bot: 'Googlebot',
    unchecked: 0,
    verified: google.filter(isVerified).length,
    refuted: google.filter((one) => !isVerified(one)).length,
  });

  // Six counts of each day, from the lines.
  const loads = await ask(
    folder,
    "SELECT reported, received, staged, rejected, loaded, queryable FROM ops.loads WHERE dataset = 'log_events' ORDER BY unit DESC",
  );
  expect(loads).toEqual(
    [1, 2, 3].map((day) => {
      const n = all.filter(({ ago }) => ago === day).length;
      return { reported: n, received: n, staged: n, rejected: 0, loaded: n, queryable: n };
    }),
  );

  const search = google.filter(isVerified);
  const inCrawl = (row: Request): boolean => row.path !== '/unlinked';
  const q16 = await ask(folder, '--question', 'q16');
  expect(q16.reduce((sum, row) => sum + Number(row.search_bot_hits), 0)).toBe(search.filter(inCrawl).length);
  const waste = ({ path }: Request): string =>
    path === '/gone' ? 'error' : path.includes('?') ? 'parameters' : path === '/unlinked' ? 'orphan' : 'none';
  expect(sumBy(await ask(folder, '--question', 'q17'), 'waste', 'hits')).toEqual(countBy(search, waste));
  const engines = sumBy(await ask(folder, '--question', 'q26'), 'engine', 'hits');
  expect(engines).toEqual({ google: search.length, unverified: google.length - search.length });
  const gpt = all.filter(({ agent }) => agent === GPTBOT);
  expect(sumBy(await ask(folder, '--question', 'q31'), 'url', 'hits')).toEqual(
    countBy(gpt, ({ path }) => `${site.origin}${path}`),
  );
  const orphans = await ask(folder, '--question', 'q03');
  expect(orphans.map(({ url, reason }) => `${url} ${reason}`)).toEqual([
    `${site.origin}/unlinked only_in_logs`,
  ]);
  const todo = await ask(folder, '--question', 'q32');
  const gone = todo.find(({ url }) => url === `${site.origin}/gone`);
  expect(gone?.search_bot_hits).toBe(search.filter(({ path }) => path === '/gone').length);

  // Read again it changes nothing. A line more of a day that was loaded loads that day again.
  const again = await capture('logs', 'add', log, '--json', '--project-dir', folder);
  expect(JSON.parse(again.stdout)).toMatchObject({ files: [{ status: 'known', lines: 0 }] });
  expect(
    JSON.parse(again.stdout).run.units.filter(({ dataset }: { dataset: string }) => /^log_/.test(dataset)),
  ).toEqual([]);
  const plain = join(folder, 'plain.log');
  writeFileSync(plain, lineOf({ ago: 2, path: '/a', status: 500, agent: PERSON, address: ADDRESS.none }));
  utimesSync(plain, 1, 1);
  const more = await capture('logs', 'add', plain, '--project-dir', folder);
  expect(more.code).toBe(0);
  const [{ n } = {}] = await ask(folder, 'SELECT count(*) AS n FROM mart.log_events');
  expect(n).toBe(all.length + 1);
  expect(await ask(folder, 'SELECT sum(hits) AS n, sum(hits_5xx) AS errors FROM mart.log_url_days')).toEqual([
    { n: all.length + 1, errors: 1 },
  ]);

  // The schedule adds what is new.
  appendFileSync(plain, lineOf({ ago: 1, path: '/a', status: 503, agent: PERSON, address: ADDRESS.none }));
  utimesSync(plain, 2, 2);
  writeFileSync(
    join(folder, 'schedules.yaml'),
    'schedules:\n  - { name: logs, cron: "0 0 1 1 *", logs: { from: ["*.log", access.log.gz] } }\n',
  );
  const [schedule] = await loadSchedules(folder, []);
  if (schedule === undefined) throw new Error('there is no schedule');
  const firing = { schedule, isLast: true, schedulesError: null };
  const fired = await fireSchedule(
    await loadSettings(folder, {}),
    firing,
    silentLogger,
    new AbortController().signal,
  );
  expect([fired.exitCode, fired.errors]).toEqual([0, []]);
  expect(await ask(folder, 'SELECT sum(hits_5xx) AS errors FROM mart.log_url_days')).toEqual([{ errors: 2 }]);
});

const DATA = join(import.meta.dirname, '../../../../shared/data/semicomplete-logs/events.jsonl');
const missing = !existsSync(DATA);

describe.skipIf(missing)(`a real log${missing ? ` (skipped: ${DATA} is not there)` : ''}`, () => {
  test('the lines of a real log are counted as by plain code, by day, URL, status and bot', async () => {
    const folder = await projectFolder();
    const events = readFileSync(DATA, 'utf8')
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one) as Record<string, string | number | null>);
    const lines = events.map(({ url, event_date, method, status_code, bytes_sent, referer, user_agent }) => {
      const time = new Date(
        `${String(event_date).replaceAll('/', '-').replace(' UTC', 'Z').replace(' ', 'T')}`,
      );
      const path = String(url).replace('http://www.semicomplete.com', '');
      return `203.0.113.9 - - [${clf(time)}] "${method} ${path} HTTP/1.1" ${status_code} ${bytes_sent ?? '-'} "${referer ?? '-'}" "${user_agent ?? '-'}"\n`;
    });
    const log = join(folder, 'semicomplete.log');
    writeFileSync(log, lines.join(''));
    utimesSync(log, 1, 1);
    const site = ['--site', 'http://www.semicomplete.com/'];
    const added = await capture('logs', 'add', log, ...site, '--json', '--project-dir', folder);
    expect(added.code).toBe(0);
    expect(JSON.parse(added.stdout).files).toMatchObject([{ events: events.length, rejected: 0 }]);
    const key = (row: Record<string, unknown>): string => `${row.day} ${row.url} ${row.status_code}`;
    const expected = new Map<string, number>();
    for (const event of events) expected.set(key(event), (expected.get(key(event)) ?? 0) + 1);
    const found = await ask(
      folder,
      'SELECT CAST(day AS VARCHAR) AS day, url, status_code, count(*) AS n FROM mart.log_events GROUP BY ALL',
    );
    const clean = (text: string): string => text.replaceAll(' ', '%20');
    expect(new Map(found.map((row) => [key(row), Number(row.n)]))).toEqual(
      new Map([...expected].map(([name, n]) => [name.split(' ').length === 3 ? name : clean(name), n])),
    );
    const agents = (token: RegExp): number =>
      events.filter(({ user_agent }) => token.test(String(user_agent))).length;
    const [bots] = await ask(
      folder,
      "SELECT count(*) FILTER (user_agent ILIKE '%googlebot%' AND is_bot) AS google, count(*) FILTER (bot_class = 'unverified') AS unverified FROM mart.log_events",
    );
    expect(bots?.google).toBe(agents(/googlebot/i));
    expect(Number(bots?.unverified)).toBeGreaterThanOrEqual(agents(/googlebot/i));
  });
});
