import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs, promisify } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { childCpuSeconds } from './resources.ts';

/**
 * `npm run bench:small`: what small changes cost, from the start of the program to its end: each figure is a median of
 * rounds that begin with a copy of the same project. Beside the seconds stand those in which DuckDB ran statements, and the
 * ratio of all to them. They can't be run again by themselves: they read and attach files that the program then renames
 * or removes.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    pages: { type: 'string', default: '1200' },
    /** The program, as it was built. */
    program: { type: 'string', default: join(import.meta.dirname, '../../dist/app/cli/main.js') },
  },
});

interface Cost {
  readonly seconds: number;
  readonly cpu: number;
  readonly statements: number;
  /** In which DuckDB ran statements. */
  readonly duckdb: number;
  /** When the first answer was printed, and when the program ended. */
  readonly answered: number;
  readonly ended: number;
}

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-small-bench-'));
const site = spawn(process.execPath, [join(import.meta.dirname, 'link-site.ts'), values.pages, '40']);
try {
  const [port] = await once(site.stdout, 'data');
  const address = `http://127.0.0.1:${String(port).trim()}`;
  const rows: (string | number)[][] = [];
  const add = (what: string, costs: readonly Cost[]): void => {
    const of = (key: keyof Cost): number => median(costs.map((one) => one[key]));
    const seconds = [of('seconds'), of('cpu'), of('duckdb')].map((one) => one.toFixed(2));
    rows.push([what, ...seconds, Math.round(of('statements')), (of('seconds') / of('duckdb')).toFixed(1)]);
  };

  const project = join(folder, 'project');
  await promisify(execFile)(process.execPath, [values.program, 'init', project]);
  const crawl = ['crawl', `${address}/page/0`, '--i-own-this-site', '--allow-private'];
  for (let time = 0; time < 2; time++) await costOf(project, crawl);
  const behind: { readonly answered: number; readonly ended: number }[] = [];
  const whole = await eachRound(project, async (copy) => {
    const cost = await costOf(copy, crawl);
    const last = Number(await (await fetch(`${address}/asked`)).text());
    behind.push({ answered: cost.answered - last, ended: cost.ended - last });
    return cost;
  });
  add(`crawl of ${values.pages} pages`, whole);
  for (const [what, key] of [
    ['its first answer behind the last page', 'answered'],
    ['its end behind the last page', 'ended'],
  ] as const) {
    const seconds = median(behind.map((one) => one[key])) / 1000;
    rows.push([what, seconds.toFixed(2), '', '', '', '']);
  }

  await writeFile(join(folder, 'day.log'), logLines(1, 10));
  await writeFile(join(folder, 'days.log'), logLines(20, 2));
  const day = await eachRound(project, (copy) => costOf(copy, ['logs', 'add', join(folder, 'day.log')]));
  add('10 log lines of one day', day);
  await costOf(project, ['logs', 'add', join(folder, 'day.log')]);
  const days = await eachRound(project, (copy) => costOf(copy, ['logs', 'add', join(folder, 'days.log')]));
  add('40 log lines of 20 days', days);

  await using sandbox = await startSandbox({
    generate: [`projects=1,crawls=2,pages=${values.pages},links=${Number(values.pages) * 10},seed=1`],
    stateDir: join(folder, 'sandbox'),
  });
  const service = join(folder, 'service');
  await promisify(execFile)(process.execPath, [values.program, 'init', service]);
  const account = { CRAWLHOUSE_BASE_URL: sandbox.baseUrl, CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken };
  for (let time = 0; time < 2; time++) await costOf(service, ['run'], account);
  add('run with nothing new', await eachRound(service, (copy) => costOf(copy, ['run'], account)));
  for (const dataset of ['crawl_pages', 'crawl_links'])
    add(`a unit of two ${dataset}`, await smallUnits(dataset));
  process.stdout.write(textTable(['what', 's', 'processor s', 'in DuckDB s', 'statements', 'ratio'], rows));
} finally {
  site.kill();
  await rm(folder, { recursive: true, force: true });
}

/** What one of many units of two rows costs: a run of 101 beside one of a single unit, without models. */
async function smallUnits(dataset: string): Promise<Cost[]> {
  const costs: Record<'one' | 'many', Cost[]> = { one: [], many: [] };
  for (const [size, crawls] of [
    ['one', 1],
    ['many', 101],
  ] as const) {
    await using sandbox = await startSandbox({
      generate: [`projects=1,crawls=${crawls},pages=2,links=2,columns=111,seed=1`],
      stateDir: join(folder, `${dataset}-${size}`),
    });
    const project = join(folder, `project-${dataset}-${size}`);
    await promisify(execFile)(process.execPath, [
      values.program,
      'init',
      project,
      '--shipped-models',
      'none',
    ]);
    for (const file of await readdir(join(project, 'pipelines')))
      if (file !== `${dataset}.yaml`) await rm(join(project, 'pipelines', file));
    const account = { CRAWLHOUSE_BASE_URL: sandbox.baseUrl, CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken };
    costs[size] = await eachRound(project, (copy) => costOf(copy, ['run'], account));
  }
  return costs.many.map((many, round) => {
    const each = (key: keyof Cost): number => (many[key] - (costs.one[round]?.[key] ?? Number.NaN)) / 100;
    return Object.fromEntries(
      Object.keys(many).map((key) => [key, each(key as keyof Cost)]),
    ) as unknown as Cost;
  });
}

/** Each round begins with a copy of the same project. */
async function eachRound(project: string, round: (copy: string) => Promise<Cost>): Promise<Cost[]> {
  const costs: Cost[] = [];
  const copy = join(folder, 'copy');
  for (let at = 0; at < Number(values.rounds); at++) {
    await rm(copy, { recursive: true, force: true });
    await cp(project, copy, { recursive: true });
    costs.push(await round(copy));
  }
  return costs;
}

async function costOf(
  cwd: string,
  command: readonly string[],
  account: Readonly<Record<string, string>> = {},
): Promise<Cost> {
  const file = join(folder, 'statements.jsonl');
  await rm(file, { force: true });
  const [started, cpu] = [performance.now(), childCpuSeconds()];
  let answered = Number.NaN;
  const running = promisify(execFile)(process.execPath, [values.program, ...command], {
    cwd,
    env: { PATH: process.env.PATH, CRAWLHOUSE_STATEMENTS: file, ...account },
    maxBuffer: 1 << 26,
  });
  running.child.stdout?.once('data', () => {
    answered = Date.now();
  });
  await running;
  const ended = Date.now();
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const times: { readonly at: number; readonly ms: number }[] = lines.map((line) => JSON.parse(line));
  return {
    seconds: (performance.now() - started) / 1000,
    cpu: childCpuSeconds() - cpu,
    statements: times.length,
    duckdb: busySeconds(times),
    answered,
    ended,
  };
}

/** Returns how long at least one of the statements ran. */
function busySeconds(times: readonly { readonly at: number; readonly ms: number }[]): number {
  let [busy, until] = [0, 0];
  for (const { at, ms } of times.toSorted((a, b) => a.at - b.at)) {
    busy += Math.max(0, at + ms - Math.max(at, until));
    until = Math.max(until, at + ms);
  }
  return busy / 1000;
}

/** Lines of a bot in the combined format, on days of October 2026. */
function logLines(days: number, each: number): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  return Array.from({ length: days * each }, (_, line) => {
    const day = two(1 + Math.floor(line / each));
    const time = `${day}/Oct/2026:10:${two(line % each)}:00 +0000`;
    return `66.249.66.${line} - - [${time}] "GET /page/${line} HTTP/1.1" 200 5000 "-" "${bot}"\n`;
  }).join('');
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
