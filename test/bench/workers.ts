import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { type Sandbox, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { startLedgerServer } from '../support/ledger-server.ts';

/**
 * `npm run bench:workers`: how much faster eight exporters load than one, from a service that throttles each connection,
 * so that neither processors nor disk are the limit. One exporter is a run by itself with `concurrency: 1`. Eight are the
 * same run with seven workers. Each unit comes at `--rate` bytes a second.
 */
const { values } = parseArgs({
  options: {
    crawls: { type: 'string', default: '48' },
    pages: { type: 'string', default: '100' },
    rate: { type: 'string', default: '6000' },
    exporters: { type: 'string', default: '1,8' },
  },
});
const ROOT = join(import.meta.dirname, '..', '..');
/** What a person starts: the built program (`npm run build`). */
const PROGRAM = join(ROOT, 'dist', 'app', 'cli', 'main.js');

await using postgres = await startLedgerServer();
await using sandbox = await startSandbox({
  generate: [`projects=4,crawls=${Number(values.crawls) / 4},pages=${values.pages},columns=12,seed=4`],
});
await fetch(`${sandbox.baseUrl}/_sandbox/faults`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify([
    { match: { path: 'export=true' }, kind: 'slow', bytes_per_second: Number(values.rate) },
  ]),
});
const rows: (string | number)[][] = [];
let first: number | undefined;
for (const exporters of values.exporters.split(',').map(Number)) {
  const { seconds, byWorkers } = await measure(exporters);
  first ??= seconds;
  rows.push([exporters, Number(values.crawls), byWorkers, seconds.toFixed(1), (seconds / first).toFixed(3)]);
}
process.stdout.write(textTable(['exporters', 'units', 'of workers', 'seconds', 'ratio'], rows));

/** Seconds of the whole run, from discovery to the publication. */
async function measure(exporters: number): Promise<{ seconds: number; byWorkers: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-workers-'));
  try {
    const environment = environmentOf(sandbox, postgres.url(`bench-${exporters}`));
    const workers = await Promise.all(
      Array.from({ length: exporters - 1 }, async (_, number) => {
        const worker = await start(join(folder, `worker-${number}`), ['worker', '--json'], environment);
        await new Promise<void>((resolve) => {
          worker.stderr.on('data', (said) => String(said).includes('worker starts') && resolve());
        });
        return worker;
      }),
    );
    const startedAt = performance.now();
    const run = await start(
      join(folder, 'run'),
      ['run', 'crawl_pages', '--route', 'stream', '--quiet'],
      environment,
    );
    const [code] = await once(run, 'exit');
    const seconds = (performance.now() - startedAt) / 1000;
    if (code !== 0) throw new Error(`the run ended with ${code}`);
    const reports = await Promise.all(
      workers.map(async (worker) => {
        worker.kill('SIGTERM');
        return JSON.parse(await text(worker.stdout)) as { staged: number };
      }),
    );
    return { seconds, byWorkers: reports.reduce((sum, { staged }) => sum + staged, 0) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function start(folder: string, args: readonly string[], env: Record<string, string>) {
  await mkdir(folder, { recursive: true });
  for (const name of ['pipelines', 'schedules.yaml'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await writeFile(join(folder, 'crawlhouse.yaml'), 'shipped_models: none\n');
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return child;
}

function environmentOf({ baseUrl, accessToken, ready }: Sandbox, ledger: string): Record<string, string> {
  const { store_b } = ready;
  return {
    CRAWLHOUSE_BASE_URL: baseUrl,
    CRAWLHOUSE_ACCESS_TOKEN: accessToken,
    CRAWLHOUSE_LEDGER: ledger,
    CRAWLHOUSE_PACKAGES_STORE: 'store_b',
    CRAWLHOUSE_STORE_B_BUCKET: store_b.bucket,
    CRAWLHOUSE_STORE_B_ENDPOINT: store_b.endpoint,
    CRAWLHOUSE_STORE_B_REGION: store_b.region,
    AWS_ACCESS_KEY_ID: store_b.access_key,
    AWS_SECRET_ACCESS_KEY: store_b.secret_key,
    CRAWLHOUSE_CONCURRENCY: '1',
    CRAWLHOUSE_CONCURRENCY_PER_PROJECT: '99',
  };
}
