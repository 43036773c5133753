import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setInterval } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { childCpuSeconds, cpuSeconds } from './resources.ts';

/**
 * `npm run bench:history`: the first run of a project with a long history, models and tests included. The sandbox makes
 * the rows on the same processors. Its share stands beside ours; a service elsewhere would not take it.
 */
const { values } = parseArgs({
  options: {
    crawls: { type: 'string', default: '10,50' },
    pages: { type: 'string', default: '100000' },
    links: { type: 'string', default: '400000' },
    columns: { type: 'string', default: '125' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const ROOT = join(import.meta.dirname, '..', '..');
/** What a person starts: the built program. */
const PROGRAM = join(ROOT, 'dist', 'app', 'cli', 'main.js');

const rows: (string | number)[][] = [];
for (const crawls of values.crawls.split(',')) rows.push(await measure(crawls));
const head = ['crawls', 's', 'processor s', 'service processor s', 'peak MB', 'of it at s', 'warehouse GB'];
process.stdout.write(textTable(head, rows));

async function measure(crawls: string): Promise<(string | number)[]> {
  const folder = await mkdtemp(join(values.folder, 'crawlhouse-history-'));
  try {
    const { pages, links, columns } = values;
    await using sandbox = await startSandbox({
      generate: [`projects=1,crawls=${crawls},pages=${pages},links=${links},columns=${columns},seed=1`],
      stateDir: join(folder, 'sandbox'),
    });
    for (const name of ['pipelines', 'sql', 'schedules.yaml'])
      await cp(join(ROOT, name), join(folder, name), { recursive: true });
    const before = { service: cpuSeconds(), ours: childCpuSeconds(), at: performance.now() };
    const child = spawn(process.execPath, [PROGRAM, 'run', '--quiet'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
        CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
      },
    });
    const exit = once(child, 'exit');
    const { peak, at } = await peakOf(child.pid ?? 0);
    const [status] = await exit;
    if (status !== 0) throw new Error(`the run ended with ${status}`);
    const { size } = await stat(join(folder, 'warehouse.duckdb'));
    return [
      crawls,
      Math.round((performance.now() - before.at) / 1000),
      Math.round(childCpuSeconds() - before.ours),
      Math.round(cpuSeconds() - before.service),
      peak,
      at,
      Math.round(size / 1e8) / 10,
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The greatest resident size of a process until it ends, in MB, and the second in which it reached it. */
async function peakOf(pid: number): Promise<{ peak: number; at: number }> {
  const startedAt = performance.now();
  const file = `/proc/${pid}/status`;
  let peak = 0;
  let at = 0;
  for await (const _ of setInterval(500)) {
    const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const now = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    // A process that has ended and nobody has waited for has no memory.
    if (now === undefined) break;
    if (Number(now) / 1000 > peak) [peak, at] = [Number(now) / 1000, (performance.now() - startedAt) / 1000];
  }
  return { peak: Math.round(peak), at: Math.round(at) };
}
