import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { main } from '../../src/app/cli/app.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions, questionNamed } from '../../src/etl/project/sql/questions/questions.ts';
import { type Sandbox, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { pageWith, serveSite } from '../support/crawl-site.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A command with what it prints, as a page shows them. */
interface Screen {
  readonly page: string;
  readonly heading: string;
  readonly command: string;
  /** `…` stands for what is left out. */
  readonly output: string;
}

/** Screens whose state this test does not bring about, with what shows it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/operate.md: crawlhouse alerts test': 'test/app/cli/commands/alerts-test.test.ts',
  'docs/ledger.md: crawlhouse backfill': 'test/long/run/backfill.test.ts',
  'docs/console.md: crawlhouse console': 'the address has a key of its own',
  'docs/demand.md: crawlhouse demand': 'test/long/demand/demand-command.test.ts',
  'docs/explore.md: crawlhouse': 'test/long/answers/explore-commands.test.ts',
  'docs/logs.md: crawlhouse logs add': 'test/long/logs/logs-command.test.ts',
  'docs/logs.md: crawlhouse logs remove': 'test/app/cli/commands/logs-remove.long.test.ts',
  'docs/models.md: crawlhouse': 'models that the page makes',
  'docs/operate.md: crawlhouse status': 'days of failures',
  'docs/routes.md: crawlhouse load': 'test/etl/pipeline/load-packages.test.ts',
  'docs/query.md: crawlhouse query "SELECT length': 'test/app/answers/query/query-process.long.test.ts',
  'docs/sandbox.md: crawlhouse sandbox start': 'keys of its own',
  'docs/trino.md: crawlhouse query': 'test/trino',
  'docs/first-hour.md, A schedule: crawlhouse schedule --once': 'the clock',
  'docs/first-hour.md, An outage: crawlhouse schedule --once': 'the clock',
  'docs/first-hour.md, A full disk': 'test/docs/first-hour.test.ts',
  'docs/first-hour.md, A killed run': 'a kill',
};

async function pages(): Promise<{ readonly page: string; readonly text: string }[]> {
  const docs = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')).sort();
  const names = ['README.md', ...docs.map((name) => `docs/${name}`)];
  return Promise.all(names.map(async (page) => ({ page, text: await readFile(join(ROOT, page), 'utf8') })));
}

async function screens(): Promise<readonly Screen[]> {
  const found: Screen[] = [];
  for (const { page, text } of await pages()) {
    for (const { index, 1: fenced, 2: indented = '' } of text.matchAll(
      /^```\w*\n([\s\S]*?)^```$|((?:^ {4}.*\n|^\n(?= {4}))+)/gm,
    )) {
      const block = fenced ?? indented.replaceAll(/^ {4}/gm, '');
      const heading = [...text.slice(0, index).matchAll(/^#+ ([^:\n]*)/gm)].at(-1)?.[1] ?? '';
      for (const part of block.split(/^\$ (?:npx )?/m).slice(1)) {
        const [line = '', ...output] = part.trimEnd().split('\n');
        const command = line.replace(/ {2,}\(.*\)$/, '');
        if (command.startsWith('crawlhouse ') && output.length > 0)
          found.push({ page, heading, command, output: output.join('\n') });
      }
    }
  }
  return found;
}

function elsewhere({ page, heading, command }: Screen): string | undefined {
  const names = [`${page}: ${command}`, `${page}, ${heading}: ${command}`];
  return Object.keys(ELSEWHERE).find((one) => names.some((name) => name.startsWith(one)));
}

const all = await screens();
const shown = all.filter((one) => elsewhere(one) === undefined);
const ofPage = (page: string): readonly Screen[] => shown.filter((one) => one.page === page);
const ofDoctor = ({ command }: Screen): boolean => command.startsWith('crawlhouse doctor');

/** What a command prints on a terminal of 80 columns, both streams as they come; of a JSON document, stdout alone. */
async function printed(folder: string, command: string): Promise<string> {
  let text = '';
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((piece) => {
      // A busy machine gets a line of progress: it comes after 30 seconds.
      if (/^\[[█░]+\] /.test(String(piece))) return true;
      if (stream === 'stdout' || !command.includes(' --json')) text += String(piece);
      return true;
    }),
  );
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  const { isTTY, columns } = process.stdout;
  Object.assign(process.stdout, { isTTY: true, columns: 80 });
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  try {
    await main([...words.slice(1), '--no-color']);
  } finally {
    Object.assign(process.stdout, { isTTY, columns });
    for (const spy of [...spies, cwd]) spy.mockRestore();
  }
  return text;
}

/**
 * A text without numbers, times, identifiers, addresses and rows of numbers, which differ from day to day and from
 * warehouse to warehouse, and without white space, because a terminal breaks lines.
 */
function masked(text: string, folder = '/srv/seo'): string {
  return text
    .replaceAll(folder, 'FOLDER')
    .replaceAll(/\/srv\/(?:seo|acme|tea)/g, 'FOLDER')
    .replaceAll(/(?:'[^']*'|\S*)\bnode'?\s+\S*main\.[tj]s/g, 'crawlhouse')
    .replaceAll(/https?:\/\/127\.0\.0\.1:\d+|127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::[\d.]+)?Z?)?/g, 'TIME')
    .replaceAll(/\b(?:[0-9a-f]{24}|[0-9a-f]{8})\b/g, 'ID')
    .replaceAll(/\b\d[\d,.]*\s+(?:[kMGT]?B|s|min|ms|h|days?)\b/g, 'AMOUNT')
    .replaceAll(/\bv?\d[\d,.]*(?![\d,.])/g, '#')
    .replaceAll(/─+/g, '─')
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => !/^[#\s-]+$/.test(line) && !/^# rows?$/.test(line))
    .join(' ')
    .replaceAll(/\s+/g, '');
}

/** What a screen shows that the command does not print now, in its order; nothing where it holds. */
function misprint({ page, command, output }: Screen, text: string, folder: string): string[] {
  const now = masked(text, folder);
  const parts = masked(output).split('…');
  let from = 0;
  for (const [index, part] of parts.entries()) {
    const at = index === 0 && !now.startsWith(part) ? -1 : now.indexOf(part, from);
    if (at < 0) return [`${page}: ${command}`, `shows   ${part}`, `prints  ${now.slice(from)}`];
    from = at + part.length;
  }
  const rest = now.slice(from);
  return parts.at(-1) === '' || rest === '' ? [] : [`${page}: ${command}`, `prints more: ${rest}`];
}

const SPEC = 'projects=1,pages=200,links=600,columns=90,seed=1';

/** The service of the pages on a port of its own, and the folder beside which its token lies. */
class Service implements AsyncDisposable {
  readonly parent: string;
  readonly port: number;
  #sandbox: Sandbox | undefined;

  constructor(parent: string, port: number) {
    this.parent = parent;
    this.port = port;
  }

  /** Starts it, with a new token. */
  async start(crawls: number): Promise<Sandbox> {
    this.#sandbox = await startSandbox({ port: this.port, generate: [`${SPEC},crawls=${crawls}`] });
    await mkdir(join(this.parent, 'service'), { recursive: true });
    await writeFile(join(this.parent, 'service', 'token'), this.#sandbox.accessToken);
    return this.#sandbox;
  }

  async stop(): Promise<void> {
    await this.#sandbox?.close();
    this.#sandbox = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

test('the screens of the first hour, of queries and of doctor match the output of the commands', async () => {
  await using service = new Service(await temporaryFolder(), await freePort());
  const folder = join(service.parent, 'seo');
  await service.start(3);
  const wrong: string[][] = [];
  let outages = 0;
  for (const screen of ofPage('docs/first-hour.md')) {
    if (screen.heading === 'An outage' && screen.command === 'crawlhouse run') {
      if (++outages === 1) await service.stop();
      else await giveAccount(folder, await service.start(4));
    }
    const place = screen.command.startsWith('crawlhouse init') ? service.parent : folder;
    const command = screen.command.replace('127.0.0.1:8085', `127.0.0.1:${service.port}`);
    wrong.push(misprint(screen, await printed(place, command), folder));
  }
  for (const screen of [
    ...['README.md', 'docs/query.md'].flatMap(ofPage),
    ...ofPage('docs/errors.md').filter(ofDoctor),
  ])
    wrong.push(misprint(screen, await printed(folder, screen.command), folder));
  expect(
    wrong
      .map((one) => one.join('\n'))
      .filter((one) => one !== '')
      .join('\n\n'),
  ).toBe('');
});

function giveAccount(folder: string, { baseUrl, accessToken }: Sandbox): Promise<void> {
  const account = `CRAWLHOUSE_BASE_URL=${baseUrl}\nCRAWLHOUSE_ACCESS_TOKEN=${accessToken}\n`;
  return writeFile(join(folder, '.env'), account);
}

test('the screens of settings match the output of the commands', async () => {
  const own = await temporaryFolder();
  await writeFile(join(own, 'schedules.yaml'), 'schedules: []\n');
  await mkdir(join(own, 'pipelines'));
  const settings = join(own, 'crawlhouse.yaml');
  await writeFile(join(own, '.env'), 'CRAWLHOUSE_ACCESS_TOKEN=a-token-of-the-page\n');
  await chmod(join(own, '.env'), 0o600);
  vi.stubEnv('CRAWLHOUSE_THREADS', '2');
  onTestFinished(() => void vi.unstubAllEnvs());
  const ofErrors = ofPage('docs/errors.md').filter((screen) => !ofDoctor(screen));
  for (const screen of [...ofPage('docs/settings.md'), ...ofErrors]) {
    const isConfig = screen.command === 'crawlhouse config';
    await writeFile(
      settings,
      isConfig ? 'base_url: https://api.example\n' : 'base_ur: https://api.example\n',
    );
    expect(misprint(screen, await printed(own, screen.command), own)).toEqual([]);
  }
});

const DAY = 86_400_000;
const midnight = (ago: number): string =>
  new Date(Math.floor(Date.now() / DAY) * DAY - ago * DAY).toUTCString().slice(5, 16);

/** A line of an access log of yesterday. */
function request(path: string, status: number, address: string, agent: string): string {
  const day = midnight(1).replaceAll(' ', '/');
  return `${address} - - [${day}:08:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 99 "-" "${agent}"\n`;
}

/** Requests by Googlebot, by who only says so, and by people; a line is cut off. */
function teaLog(): string {
  const google = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  const of = (path: string, status: number, hits: number): string =>
    request(path, status, '66.249.66.1', google).repeat(hits) +
    request(path, status, '203.0.113.5', google) +
    request(path, status, '203.0.113.9', 'Mozilla/5.0 Firefox/140.0').repeat(5);
  return `${of('/', 200, 4)}${of('/green', 200, 3)}${of('/sale', 404, 6)}${of('/old-shop', 200, 2)}66.249.66.1 - -\n`;
}

function teaSearches(origin: string): string {
  const rows = Array.from({ length: 8 }, (_, ago) => {
    const day = new Date(`${midnight(ago + 2)} UTC`).toISOString().slice(0, 10);
    return [
      `${day},${origin}/,tea,3,40,2.1`,
      `${day},${origin}/green,green tea,2,30,3`,
      `${day},${origin}/sale,tea sale,1,25,5.4`,
    ];
  });
  return ['date,page,query,clicks,impressions,position', ...rows.flat(), ''].join('\n');
}

/** The first crawl of the page is of a website of its own. */
const isFirst = ({ heading }: Screen): boolean => heading === 'Crawl a website';

test('the first screen of a crawl matches the output of the command', async () => {
  const folder = join(await temporaryFolder(), 'tea');
  const site = await serveSite({
    '/': titled('Tea', '/green', '/black', '/old', '/gone'),
    '/green': titled('Green tea', '/', '/white'),
    '/black': titled('Black tea', '/', '/white'),
    '/white': titled('White tea', '/', '/silver', '/sencha'),
    '/silver': titled('Silver needle', '/', '/green'),
    '/sencha': titled('Silver needle', '/', '/green'),
    '/old': { status: 301, headers: { location: '/green' } },
  });
  await printed(join(folder, '..'), 'crawlhouse init tea');
  const [screen, ...others] = ofPage('docs/crawl.md').filter(isFirst);
  if (screen === undefined || others.length > 0) throw new Error('docs/crawl.md begins with one crawl');
  const command = screen.command.replace('127.0.0.1:8099', `127.0.0.1:${site.port}`);
  expect(misprint(screen, await printed(folder, command), folder)).toEqual([]);
});

function titled(title: string, ...targets: readonly string[]): string {
  const page = pageWith(...targets).replace('A page', title);
  return page.replace('<main>', `<main><h1>${title}</h1>`);
}

test('the screens of a crawl with logs and search results match the output of the commands', async () => {
  const folder = join(await temporaryFolder(), 'tea');
  const site = await serveSite({
    '/': pageWith('/green', '/black', '/sale'),
    '/green': pageWith('/', '/white'),
    '/black': pageWith('/'),
    '/white': pageWith('/'),
  });
  await printed(join(folder, '..'), 'crawlhouse init tea');
  await writeFile(join(folder, 'access.log'), teaLog());
  await writeFile(join(folder, 'search.csv'), teaSearches(site.origin));
  for (const screen of ofPage('docs/crawl.md').filter((one) => !isFirst(one))) {
    const command = screen.command.replace('127.0.0.1:48099', `127.0.0.1:${site.port}`);
    expect(misprint(screen, await printed(folder, command), folder)).toEqual([]);
  }
});

test('every screen of the pages is compared, or listed as shown elsewhere', () => {
  const compared = [
    'README.md',
    'docs/first-hour.md',
    'docs/query.md',
    'docs/settings.md',
    'docs/errors.md',
    'docs/crawl.md',
  ];
  expect(
    shown.filter(({ page }) => !compared.includes(page)).map(({ page, command }) => `${page}: ${command}`),
  ).toEqual([]);
  const used = new Set(all.map(elsewhere));
  expect(Object.keys(ELSEWHERE).filter((one) => !used.has(one))).toEqual([]);
  expect(shown.length).toBeGreaterThan(15);
});

test('every saved question in an example exists, and accepts its parameters', async () => {
  const questions = await loadQuestions([sqlFolder(join(ROOT, 'sql'))]);
  const wrong: string[] = [];
  for (const { page, text } of await pages())
    for (const [call, name = '', rest = ''] of text.matchAll(/--question (q\d\w*)([^\n`]*)/g)) {
      const { parameters } = questionNamed(questions, name);
      const given = [...rest.matchAll(/-p (\w+)=/g)].map((match) => match[1]);
      const unknown = given.filter((one) => !parameters.some((parameter) => parameter.name === one));
      // One example shows what a wrong name gives.
      if (unknown.length > 0 && unknown[0] !== 'form') wrong.push(`${page}: ${call}`);
    }
  expect(wrong).toEqual([]);
});
