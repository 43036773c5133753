import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The main job, for real: a sandbox with three synthetic crawls (and, where they are, real ones), a run over HTTP, the
 * answers of four questions. Leaves the warehouse in `.demo/`.
 */
const root = join(import.meta.dirname, '..');
const folder = join(root, '.demo');
const program = join(root, 'dist', 'cli', 'main.js');
const real = ['gov-sites-2025-01-09', 'gov-sites-2025-01-16', 'typo3-site']
  .map((name) => join(root, '..', 'shared', 'data', name))
  .filter((path) => existsSync(path));

const QUESTIONS = [
  'q05_status_codes_by_crawl -p limit=4',
  'q06_page_changes_by_crawl',
  'q08_404s_with_most_internal_links',
  'q16_bot_hits_by_segment_depth_and_inrank',
];
const ROWS = 8;
/** One project with every data type of the service. */
const SPEC =
  'projects=1,crawls=3,pages=3000,links=30000,columns=90,clusters=100,structured_data=1000,comparisons=2,log_days=4,events=20000,ranking_days=4,seed=1';

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const name of ['pipelines', 'sql', 'schedules.yaml'])
  await cp(join(root, name), join(folder, name), { recursive: true });

const readyFile = join(folder, 'sandbox.json');
const sandbox = spawn(
  process.execPath,
  [
    ...[program, 'sandbox', 'start', '--quiet', '--ready-file', readyFile],
    ...['--generate', SPEC],
    ...real.flatMap((path) => ['--import', path]),
  ],
  { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder },
);
process.once('exit', () => sandbox.kill());

say(
  'A sandbox of the service, with a synthetic project of three crawls, their comparisons, logs and rankings',
  real.length > 0 ? ` and ${real.length} real ones` : '',
  '.\n',
);
const ready = await readyDocument();
const environment = {
  ...process.env,
  CRAWLHOUSE_BASE_URL: ready.base_url,
  CRAWLHOUSE_ACCESS_TOKEN: ready.access_token,
};

say('\n$ crawlhouse run\n');
crawlhouse('run');
say('\n$ crawlhouse run        (again: nothing is asked for twice)\n');
crawlhouse('run');
for (const question of QUESTIONS) {
  const [name = '', ...parameters] = question.split(' ');
  const title = /title: (.*)/.exec(
    await readFile(join(folder, 'sql', 'questions', `${name}.sql`), 'utf8'),
  )?.[1];
  say(`\n${title?.replaceAll(/^['"]|['"]$/g, '')}\n$ crawlhouse query --question ${question}\n`);
  const lines = crawlhouse('query', '--question', name, ...parameters).split('\n');
  say(
    lines.slice(0, ROWS + 2).join('\n'),
    lines.length > ROWS + 3 ? `\n… (${lines.length - 3} rows)\n` : '\n',
  );
}
const ended = once(sandbox, 'exit');
sandbox.kill();
await ended;
const path = relative(process.cwd(), folder) || '.';
say(`\nThe warehouse is ${join(path, 'warehouse.duckdb')}. Go on querying it:\n`);
say(`  npx crawlhouse query --project-dir ${path} 'SELECT * FROM mart.crawls'\n`);

/** Runs the program in the demo's folder; what it says is shown, what it prints comes back. */
function crawlhouse(...args: string[]): string {
  const { status, stdout } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', args[0] === 'query' ? 'ignore' : 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    say(`crawlhouse ${args.join(' ')} ended with ${status}\n`);
    process.exit(status ?? 1);
  }
  return stdout;
}

async function readyDocument(): Promise<{ base_url: string; access_token: string }> {
  while (!existsSync(readyFile)) {
    if (sandbox.exitCode !== null) process.exit(sandbox.exitCode);
    await sleep(50);
  }
  return JSON.parse(await readFile(readyFile, 'utf8'));
}

function say(...texts: string[]): void {
  process.stdout.write(texts.join(''));
}
