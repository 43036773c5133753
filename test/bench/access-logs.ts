import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs, promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { Database, file, STORAGE_OPTION, text } from '../../src/core/duckdb/duckdb.ts';
import { accessLog } from '../support/access-log.ts';
import { addLogsIn } from '../support/add-logs.ts';
import { cpuSeconds, peakRss } from './resources.ts';

/**
 * `npm run bench:logs`: lines a second of an access log in the combined format, gzipped, until its events and the counts of
 * its days are in the local service. Beside it DuckDB's own CSV reader, which puts the same lines into a table as they
 * are, and no more. Both take turns, each in a process of its own.
 */
const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '3' },
    child: { type: 'string' },
    log: { type: 'string', default: '' },
  },
});
const WAYS = ['crawlhouse', 'DuckDB read_csv'] as const;

/** Of one round: seconds, processor seconds, megabytes; of both seconds those that the counts took. */
interface Found {
  readonly seconds: number;
  readonly cpu: number;
  readonly rss: number;
  readonly counts: number;
  readonly countsCpu: number;
}

if (values.child !== undefined) await child(values.child, values.log);
else await compare(Number(values.lines), Number(values.rounds));

async function compare(lines: number, rounds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-logs-bench-'));
  try {
    const log = join(folder, 'access.log.gz');
    await pipeline(Readable.from(accessLog({ lines, days: 2 })), createGzip(), createWriteStream(log));
    const found = new Map<string, Found[]>(WAYS.map((way) => [way, []]));
    for (let round = 0; round < rounds; round++)
      for (const way of WAYS) {
        const { stdout } = await promisify(execFile)(process.execPath, [
          import.meta.filename,
          '--child',
          way,
          '--log',
          log,
        ]);
        found.get(way)?.push(JSON.parse(stdout));
      }
    const [base] = [median(found.get('DuckDB read_csv') ?? [], 'seconds')];
    const rows = WAYS.map((way) => {
      const own = found.get(way) ?? [];
      const seconds = median(own, 'seconds');
      return [
        way,
        seconds.toFixed(1),
        (seconds / base).toFixed(2),
        Math.round(lines / seconds / 1000),
        ((median(own, 'cpu') / lines) * 1e6).toFixed(1),
        median(own, 'counts').toFixed(1),
        ((median(own, 'countsCpu') / lines) * 1e6).toFixed(1),
        median(own, 'rss'),
      ];
    });
    process.stdout.write(
      `${lines} lines, ${Math.round((await stat(log)).size / 1e6)} MB gzipped, ${rounds} rounds\n`,
    );
    const names = ['way', 'median s', 'ratio', '1,000 lines/s', 'processor µs/line'];
    const parts = ['of it counts s', 'counts µs/line', 'peak MB'];
    process.stdout.write(textTable([...names, ...parts], rows));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function child(way: string, log: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-logs-bench-'));
  const begin = now();
  let read = begin;
  try {
    if (way === 'crawlhouse') read = await ours(log, folder);
    else await baseline(log, folder);
    const end = now();
    if (way !== 'crawlhouse') read = end;
    const found: Found = {
      seconds: end.seconds - begin.seconds,
      cpu: end.cpu - begin.cpu,
      rss: peakRss(),
      counts: end.seconds - read.seconds,
      countsCpu: end.cpu - read.cpu,
    };
    process.stdout.write(JSON.stringify(found));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function now(): { readonly seconds: number; readonly cpu: number } {
  return { seconds: performance.now() / 1000, cpu: cpuSeconds() };
}

/** @returns when the events were there, and nothing was counted */
async function ours(log: string, folder: string): Promise<ReturnType<typeof now>> {
  let read = now();
  const [file] = await addLogsIn(folder, [log], {}, () => {
    read = now();
  });
  if (file?.status !== 'added') throw new Error(`${file?.status}: ${file?.error?.message}`);
  return read;
}

/** The combined format is nearly CSV with spaces; `[` and `]` stay in the texts. */
async function baseline(log: string, folder: string): Promise<void> {
  await using database = await Database.open({ memoryLimit: '1GB', threads: 2, tempDirectory: folder });
  using connection = await database.connect();
  await connection.run(`ATTACH ${text(join(folder, 'rows.duckdb'))} AS store (${STORAGE_OPTION})`);
  const names = [
    'address',
    'ident',
    'login',
    'time',
    'zone',
    'request',
    'status',
    'bytes',
    'referer',
    'agent',
  ];
  const columns = names.map((name) => `${text(name)}: ${text(name === 'status' ? 'INTEGER' : 'VARCHAR')}`);
  await connection.run(
    `CREATE TABLE store.lines AS SELECT * FROM read_csv(${file(log)}, delim = ' ', quote = '"', header = false,
      auto_detect = false, columns = {${columns.join(', ')}})`,
  );
}

function median<K extends string>(found: readonly Readonly<Record<K, number>>[], key: K): number {
  return found.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(found.length / 2)] ?? 0;
}
