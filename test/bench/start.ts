import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs, promisify } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { Database } from '../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { WorkingCopy } from '../../src/etl/engines/working-copy.ts';
import { publish } from '../../src/etl/pipeline/publish/publish.ts';
import { IN_DUCKDB } from '../support/in-duckdb.ts';
import { childCpuSeconds } from './resources.ts';

/**
 * `npm run bench:start`: from the start of the program to its end, for commands that do little, on a warehouse without
 * rows. The commands take turns. Beside each figure is its ratio to that of Node.js alone.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    /** The program, as it was built. */
    program: { type: 'string', default: join(import.meta.dirname, '../../dist/app/cli/main.js') },
  },
});
const COMMANDS: readonly (readonly string[])[] = [
  ['-e', '0'],
  [values.program, '--version'],
  [values.program, 'query', 'select 1'],
  [values.program, 'status'],
];

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-start-bench-'));
try {
  await makeProject();
  const costs = COMMANDS.map((): Cost[] => []);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [index, args] of COMMANDS.entries()) costs[index]?.push(await costOf(args));
  const seconds = costs.map((of) => median(of.map((one) => one.seconds)));
  const cpu = costs.map((of) => of.reduce((sum, one) => sum + one.cpu, 0) / of.length);
  const rows = COMMANDS.map((args, index) => [
    args[0] === values.program ? `crawlhouse ${args.slice(1).join(' ')}` : `node ${args.join(' ')}`,
    ...[seconds, cpu].flatMap((of) => [
      (of[index] ?? 0).toFixed(2),
      ((of[index] ?? 0) / (of[0] ?? 1)).toFixed(1),
    ]),
  ]);
  process.stdout.write(textTable(['command', 'median s', 'ratio', 'processor s', 'ratio'], rows));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function makeProject(): Promise<void> {
  const state = join(folder, '.crawlhouse');
  await mkdir(state);
  await writeFile(join(folder, 'crawlhouse.yaml'), 'base_url: http://127.0.0.1:9\n');
  await writeFile(join(folder, 'schedules.yaml'), 'schedules: []\n');
  await cp(join(import.meta.dirname, '../../pipelines'), join(folder, 'pipelines'), { recursive: true });
  await using database = await Database.open({
    memoryLimit: '400MB',
    threads: 1,
    tempDirectory: join(folder, 'spill'),
  });
  await using working = await WorkingCopy.open(
    database,
    { stateDir: state, warehouse: join(folder, 'warehouse.duckdb'), engine: IN_DUCKDB },
    silentLogger,
  );
  await working.markDirty();
  await publish(working, silentLogger, new AbortController().signal);
}

interface Cost {
  readonly seconds: number;
  /** Of the processors, by the program and the processes that it starts. */
  readonly cpu: number;
}

async function costOf(args: readonly string[]): Promise<Cost> {
  const [started, cpu] = [performance.now(), childCpuSeconds()];
  await promisify(execFile)(process.execPath, args, { cwd: folder });
  return { seconds: (performance.now() - started) / 1000, cpu: childCpuSeconds() - cpu };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
