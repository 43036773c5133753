import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pageWith, serveSite } from '../../../support/crawl-site.ts';
import { freePort } from '../../../support/free-port.ts';
import { projectFolder, rawProjectFolder } from '../../../support/project.ts';
import { capture } from '../capture.ts';

const PAGES: Readonly<Record<string, string>> = {
  '/': pageWith('/a', '/gone'),
  '/a': pageWith('/b'),
  '/b': pageWith('/'),
};

test.for([
  [[], 'a URL is needed'],
  [['--resume'], 'there is no interrupted crawl'],
  [['https://www.example.com/', '--finish'], '--finish: only possible with --resume'],
  [['https://www.example.com/', '--schedule', 'monday'], '--schedule monday: '],
  [['--resume', '--schedule', '0 6 * * 1'], '--schedule 0 6 * * 1: not possible with --resume'],
  [['https://www.example.com/', '--max-urls', 'many'], '--max-urls many: a number above 0 is expected'],
  [['http://site.invalid/', '--extract', 'price'], '--extract price: no css:, xpath: or regex: after a name'],
  [['http://site.invalid/', '--extract', 'price=css:p['], '--extract price=css:p[: css is not valid'],
  [
    ['http://site.invalid/', '--extract', 'a=css:p', '--extract', 'a=css:b'],
    '--extract a=css:b: name appears twice',
  ],
  [
    ['http://site.invalid/', '--extract', 'price:money=css:p'],
    '--extract price:money=css:p: money is none of string, number,',
  ],
  [
    ['http://site.invalid/', '--extract', 'price:number,date=css:p'],
    'type is given twice, the second time by date',
  ],
  [
    ['http://site.invalid/', '--extract', 'n:count,many=css:p'],
    'take count does not work with type and many',
  ],
  [['http://site.invalid/', '--extract', 'n:@href=regex:a'], 'take of a regex is one of text'],
  [
    ['http://site.invalid/', '--extract', 'price:rendered=css:p'],
    '--extract price:rendered=css:p: from rendered needs js_rendering\nTry: npx crawlhouse crawl https://www.example.com/ --render --extract price:rendered=css:p\n',
  ],
  [
    ['http://site.invalid/', '--vitals', 'some'],
    '--vitals some: a number of pages of each template, or all, is expected',
  ],
  [['http://user agent/'], 'the URL http://user agent/: must be an address'],
  [['http://site.invalid/', '--speed', '10'], '10 URLs per second is more than 5'],
  [['http://site.invalid/', '--speed', '3'], '--speed 3: must be 0.1, 0.2, 0.5, 1, 2, 5 or a multiple of 5'],
] as const)('crawl %j is a usage error with a message', async ([argv, words]) => {
  const folder = await projectFolder();
  const { code, stderr } = await capture('crawl', ...argv, '--project-dir', folder);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test.for([
  [['--resume'], 'http://site.invalid/a', 'not possible with --schedule or --resume'],
  [[], 'no address', 'line 1: no address is not a URL'],
  [['--speed', '1000'], 'http://localhost/a\n\n# b\nhttp://else.invalid/', 'is more than 5'],
  [[], '# nothing', 'has no URL'],
] as const)('a list that cannot be crawled is refused: %j %j', async ([argv, list, words]) => {
  const folder = await projectFolder();
  const file = join(folder, 'urls.txt');
  writeFileSync(file, list);
  const { code, stderr } = await capture('crawl', '--list', file, ...argv, '--project-dir', folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});

test('the project folder of another service is refused', async () => {
  const folder = await projectFolder();
  appendFileSync(join(folder, 'crawlhouse.yaml'), 'base_url: https://service.invalid\n');
  const site = await serveSite(PAGES);
  const { code, stderr } = await capture('crawl', site.origin, '--project-dir', folder);
  expect(code).toBe(2);
  expect(stderr).toContain('this project folder loads from https://service.invalid');
});

type Routes = Parameters<typeof serveSite>[0];
const REFUSING = await freePort();

/** What stands in a project folder besides its log. */
function kept(folder: string): string[] {
  const state = join(folder, '.crawlhouse');
  return existsSync(state) ? readdirSync(state).filter((name) => name !== 'logs') : [];
}

const leadsTo = (location: string) => ({ status: 302, headers: { location } });

const SITES: readonly (readonly [words: string, code: number, site: string | Routes])[] = [
  ['the host name does not exist (DNS)', 3, 'https://site.invalid/'],
  ['the host name does not exist (DNS)', 3, 'not_a_url'],
  ['the connection failed', 3, `http://127.0.0.1:${REFUSING}/`],
  ['the site answers 404', 2, {}],
  ['the site answers 403', 2, { '/': { status: 403 } }],
  ['the site answers 503', 3, { '/': { status: 503 } }],
  ['robots.txt blocks it for crawlhouse', 2, { ...PAGES, '/robots.txt': 'User-agent: *\nDisallow: /' }],
  ['redirects to itself', 2, { '/': leadsTo('/') }],
  ['redirects more than 5 times', 2, { '/': leadsTo('/other'), '/other': leadsTo('/') }],
];

test.for(SITES)(
  'a start URL that cannot be crawled (%s) ends with %i, and leaves nothing behind',
  async ([words, code, site]) => {
    const folder = await projectFolder();
    const url = typeof site === 'string' ? site : (await serveSite(site)).origin;
    const ended = await capture('crawl', url, '--project-dir', folder);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(words);
    expect(ended.stderr).toMatch(/^Try: /m);
    expect(kept(folder)).toEqual([]);
  },
);

test('a failing robots.txt is reported while it is requested again', async () => {
  const fails = [503];
  const site = await serveSite({
    ...PAGES,
    '/robots.txt': (_request, response) => {
      response.statusCode = fails.pop() ?? 200;
      response.end('User-agent: *\nDisallow: /');
    },
  });
  const { stderr } = await capture('crawl', site.origin, '--project-dir', await projectFolder());
  expect(stderr).toContain(`${site.origin}/robots.txt: status 503; the next try is in 1 s\n`);
});

test.for([
  ['segments.yaml', 'segmentations:\n- {name: x, color: red}\n', 'bad_segments', 'segments.yaml:2'],
  ['notes.yaml', 'notes:\n- {date: 2026-13-01, kind: other, text: x}\n', 'bad_settings', 'notes.yaml:2'],
  [
    'notes.yaml',
    `a: &a [${Array(99).fill('x')}]\nnotes: [${Array(90).fill('*a')}]\n`,
    'bad_settings',
    'notes.yaml:2',
  ],
  ['schedules.yaml', 'schedules:\n- {name: x, cron: monday}\n', 'bad_schedule', 'schedules.yaml:2'],
  ['sql/mart/own.sql', '/* name: mart.own */ SELECT 1\n', 'bad_model', 'sql/mart/own.sql:1'],
  ['sql/questions/own.sql', '/* title: x */ SELECT 1\n', 'bad_model', 'sql/questions/own.sql:1'],
] as const)('an error in %s is reported before the crawl starts', async ([file, text, code, place]) => {
  const site = await serveSite(PAGES);
  const folder = await projectFolder();
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
  const outcome = await capture('crawl', `${site.origin}/`, '--json', '--project-dir', folder);
  const said = `${outcome.stdout}${outcome.stderr}`;
  expect([outcome.code, said]).toEqual([2, expect.stringContaining(place)]);
  expect(said).toContain(code);
  expect(site.hits).not.toContain('/a');
});

test('without shipped models, crawls, logs and search data are loaded, and the missing parts are reported', async () => {
  const folder = await rawProjectFolder();
  const { origin } = await serveSite(PAGES);
  const own = (...argv: readonly string[]) => capture(...argv, '--project-dir', folder);
  const crawled = await own('crawl', origin);
  expect([crawled.code, crawled.stdout]).toEqual([
    0,
    expect.stringContaining('\n4 pages fetched, depth 2: ok'),
  ]);
  expect(crawled.stdout).toContain('No report: it needs the shipped models and questions');
  const [, next] = /^Next: .*? query "(.+)"$/m.exec(crawled.stdout) ?? [];
  const rows = await own('query', next ?? '', '--json');
  expect([rows.code, JSON.parse(rows.stdout).length > 2]).toEqual([0, true]);
  const again = await own('crawl', origin, '--json');
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { fetched_urls: 4, findings: null }]);
  const csv = join(folder, 'pages.csv');
  writeFileSync(csv, `Top pages,Clicks,Impressions,CTR,Position\n${origin}/,1,2,50%,3\n`);
  const demand = await own('demand', 'add', csv, '--from', '2026-10-01', '--to', '2026-11-01');
  expect([demand.code, demand.stderr + demand.stdout]).toEqual([
    0,
    expect.stringContaining('FROM raw.ranking_'),
  ]);
  for (const argv of [['report'], ['issues'], ['pages'], ['url', origin]]) {
    const { code, stderr } = await own(...argv);
    expect([argv, code, stderr]).toEqual([
      argv,
      2,
      expect.stringContaining('unless crawlhouse.yaml sets shipped_models: none'),
    ]);
  }
});
