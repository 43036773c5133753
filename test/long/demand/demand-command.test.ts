import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture } from '../../app/cli/capture.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { projectFolder } from '../../support/project.ts';
import { zipFile } from '../../support/zip-file.ts';

const DAY = 86_400_000;
/** The last day of the exports: two days ago, as search data are. */
const LAST = Math.floor(Date.now() / DAY) * DAY - 2 * DAY;
const dayBefore = (days: number): string => new Date(LAST - days * DAY).toISOString().slice(0, 10);

type Row = Readonly<Record<string, unknown>>;

async function ask(folder: string, question: string, ...more: string[]): Promise<Row[]> {
  const asked = ['query', '--question', question, '--format', 'json', ...more, '--project-dir', folder];
  const { stdout, stderr, code } = await capture(...asked);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout) as Row[];
}

/** Some columns of rows, a text each, sorted. */
function texts(rows: readonly Row[], ...columns: string[]): string[] {
  return rows.map((row) => columns.map((column) => String(row[column] ?? '-')).join(' ')).sort();
}

interface Fact {
  readonly day: number;
  readonly path: string;
  readonly query: string;
  readonly clicks: number;
  readonly impressions: number;
}

/** 60 days, of which the first are the latest; `/a` had more clicks before, and shares its queries with `/b`. */
function facts(): Fact[] {
  const made: Fact[] = [];
  for (let day = 0; day < 60; day++)
    for (const [u, path] of ['/', '/a', '/b', '/unlinked'].entries())
      for (const [q, query] of ['tea', 'green tea'].entries()) {
        if (path === '/' && q === 1) continue;
        const impressions = 20 + ((day * 7 + u * 3 + q * 5) % 11);
        const clicks = ((day + u + q) % 3) * (path === '/a' && day >= 28 ? 5 : 1);
        made.push({ day, path, query, clicks, impressions });
      }
  return made;
}

function sumBy<K>(
  rows: readonly Fact[],
  key: (row: Fact) => K,
): Map<K, { clicks: number; impressions: number }> {
  const sums = new Map<K, { clicks: number; impressions: number }>();
  for (const row of rows) {
    const sum = sums.get(key(row)) ?? { clicks: 0, impressions: 0 };
    sums.set(key(row), { clicks: sum.clicks + row.clicks, impressions: sum.impressions + row.impressions });
  }
  return sums;
}

test('search data exports answer the demand questions of a crawled website', async () => {
  const folder = await projectFolder();
  const site = await serveSite({ '/': pageWith('/a', '/gone'), '/a': pageWith('/b'), '/b': pageWith('/') });
  const url = (path: string): string => `${site.origin}${path}`;
  expect((await capture('crawl', site.origin, '--project-dir', folder)).code).toBe(0);
  // Before: no search results.
  expect(await ask(folder, 'q18_demand_that_is_not_met')).toEqual([]);

  const page = (path: string, clicks: number, impressions: number): string =>
    `${url(path)},${clicks},${impressions},1%,3.5`;
  const totals = [
    page('/', 40, 400),
    page('/a', 30, 300),
    page('/gone', 20, 200),
    page('/unlinked', 10, 100),
  ];
  const head = 'Clicks,Impressions,CTR,Position';
  const days = Array.from({ length: 28 }, (_, ago) => `${dayBefore(ago)},4,40,10%,3.5`);
  const zip = zipFile([
    { name: 'Pages.csv', content: `Top pages,${head}\n${totals.join('\n')}\n` },
    { name: 'Queries.csv', content: `Top queries,${head}\ntea,90,900,10%,3.5\n` },
    { name: 'Dates.csv', content: `Date,${head}\n${days.join('\n')}\n` },
  ]);
  const file = join(folder, 'export.zip');
  writeFileSync(file, zip);
  const added = await capture('demand', 'add', file, '--project-dir', folder);
  expect([added.code, added.stderr]).toEqual([
    0,
    expect.stringContaining('Next: npx crawlhouse query --question q18'),
  ]);
  expect(added.stdout).toContain(`totals of 28 days, ${dayBefore(27)} to ${dayBefore(0)}`);
  expect(added.stdout).toContain(
    'By query: 22 clicks fewer than in the totals (19.6 %), 220 impressions fewer',
  );
  expect(added.stdout).toContain(
    'By url: 12 clicks fewer than in the totals (10.7 %), 120 impressions fewer',
  );

  expect(texts(await ask(folder, 'q03_orphan_pages'), 'url', 'reason', 'clicks', 'impressions')).toEqual([
    `${url('/unlinked')} only_in_search_results 10 100`,
  ]);
  expect(texts(await ask(folder, 'q18_demand_that_is_not_met'), 'url', 'clicks', 'finding')).toEqual([
    `${url('/gone')} 20 demand on a URL that is not 200`,
    `${url('/unlinked')} 10 demand on a URL that the crawl does not know`,
  ]);
  const todo = await ask(folder, 'q32_what_to_do_first');
  expect(todo.filter((row) => row.url === url('/gone')).map((row) => row.clicks)).toContain(20);
  for (const question of ['q27_cannibalisation', 'q28_decay']) {
    const empty = await capture('query', '--question', question, '--format', 'json', '--project-dir', folder);
    expect([empty.stdout, empty.stderr]).toEqual(['[]\n', expect.stringContaining('Totals of a period')]);
  }

  // Again: nothing changes. Then rows by day and URL, which now count.
  expect((await capture('status', '--project-dir', folder)).stdout).toMatch(/ s {2}demand add +done /);
  const again = await capture('demand', 'add', file, '--project-dir', folder);
  expect([again.code, again.stdout]).toEqual([
    0,
    expect.stringContaining('Nothing new: this export was added before.'),
  ]);
  const rows = facts();
  const bulk = join(folder, 'bulk.csv');
  const header =
    'data_date,url,query,is_anonymized_query,country,search_type,device,impressions,clicks,sum_position';
  const lines = rows.map(
    (row) =>
      `${dayBefore(row.day)},${url(row.path)},${row.query},false,fra,WEB,MOBILE,${row.impressions},${row.clicks},${row.impressions * 2}`,
  );
  writeFileSync(bulk, `${header}\n${lines.join('\n')}\n`);
  const daily = await capture('demand', 'add', bulk, '--json', '--project-dir', folder);
  expect(daily.code).toBe(0);
  const document = JSON.parse(daily.stdout) as { exports: Row[]; run: { status: string; units: Row[] } };
  expect(document.exports).toMatchObject([
    { format: 'search_console_bulk', status: 'added', replaced_days: 0 },
  ]);
  expect(document.run.units.filter(({ dataset }) => dataset === 'ranking_performance')).toHaveLength(60);

  const recent = rows.filter(({ day }) => day < 28);
  const demand = sumBy(recent, ({ path }) => path);
  expect(texts(await ask(folder, 'q03_orphan_pages'), 'url', 'clicks', 'impressions')).toEqual([
    `${url('/unlinked')} ${demand.get('/unlinked')?.clicks} ${demand.get('/unlinked')?.impressions}`,
  ]);
  // Each URL has more than a tenth of the impressions of its queries.
  const byQuery = sumBy(recent, ({ path, query }) => `${query}|${path}`);
  expect(texts(await ask(folder, 'q27_cannibalisation'), 'query', 'url', 'clicks', 'impressions')).toEqual(
    [...byQuery]
      .map(([key, { clicks, impressions }]) => {
        const [query = '', path = ''] = key.split('|');
        return `${query} ${url(path)} ${clicks} ${impressions}`;
      })
      .sort(),
  );
  const before = sumBy(
    rows.filter(({ day }) => day >= 28 && day < 56),
    ({ path }) => path,
  );
  const decayed = [...before].flatMap(([path, { clicks }]) => {
    const now = demand.get(path)?.clicks ?? 0;
    return clicks >= 10 && now <= clicks * 0.8 ? [`${url(path)} ${now} ${clicks}`] : [];
  });
  expect(decayed).toHaveLength(1);
  expect(texts(await ask(folder, 'q28_decay'), 'url', 'clicks', 'clicks_before')).toEqual(decayed);
});

test('an invalid row refuses its export with exit code 4, and other exports are loaded', async () => {
  const folder = await projectFolder();
  const [good, bad] = [join(folder, 'good.csv'), join(folder, 'bad.json')];
  writeFileSync(good, 'date,page,clicks,impressions\n2026-01-01,https://e.example/,1,2\n');
  const row = { keys: ['2026-01-01', 'no url', 'q'], clicks: 1, impressions: 2, position: 1 };
  writeFileSync(bad, JSON.stringify({ rows: [row] }));
  const flags = ['--site', 'https://e.example/', '--dimensions', 'date,page,query', '--project-dir', folder];
  const { code, stdout, stderr } = await capture('demand', 'add', good, bad, ...flags);
  expect([code, stderr]).toEqual([4, expect.stringContaining('rows[0]: url: "no url" is not a URL')]);
  expect(stderr).toContain('on_reject: quarantine');
  expect(stdout).toContain('good.csv: a table of search results');
  const sql = 'SELECT url, clicks FROM mart.ranking_performance';
  const { stdout: loaded } = await capture('query', sql, '--format', 'json', '--project-dir', folder);
  expect(JSON.parse(loaded)).toEqual([{ url: 'https://e.example/', clicks: 1 }]);
});

test('countries are loaded if the pipeline requests them', async () => {
  const folder = await projectFolder();
  const pipeline = join(folder, 'pipelines', 'ranking_performance.yaml');
  writeFileSync(
    pipeline,
    readFileSync(pipeline, 'utf8').replace('  device: string\n', '  device: string\n  country: string\n'),
  );
  const file = join(folder, 'a.csv');
  writeFileSync(
    file,
    'date,page,country,clicks,impressions\n2026-01-01,https://e.example/,nzl,1,2\n2026-01-01,https://e.example/,fra,3,4\n',
  );
  const added = await capture('demand', 'add', file, '--site', 'https://e.example/', '--project-dir', folder);
  expect([added.code, added.stderr]).toEqual([0, expect.any(String)]);
  const sql = 'SELECT country, clicks FROM raw.ranking_performance ORDER BY 1';
  const { stdout } = await capture('query', sql, '--format', 'json', '--project-dir', folder);
  expect(JSON.parse(stdout)).toEqual([
    { country: 'fra', clicks: 3 },
    { country: 'nzl', clicks: 1 },
  ]);
});
