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
import { Database, file, STORAGE_OPTION, text } from '../../src/core/duckdb/duckdb.ts';
import { textTable } from '../../src/core/text/text-table.ts';
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

if (values.child !== undefined) await child(values.child, values.log);
else await compare(Number(values.lines), Number(values.rounds));

async function compare(lines: number, rounds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-logs-bench-'));
  try {
    const log = join(folder, 'access.log.gz');
    await pipeline(Readable.from(accessLog({ lines, days: 2 })), createGzip(), createWriteStream(log));
    const found = new Map<string, { seconds: number; cpu: number; rss: number }[]>(
      WAYS.map((way) => [way, []]),
    );
    for (let round = 0; round < rounds; round++)
      for (const way of WAYS) {
        const { stdout } = await promisify(execFile)(process.execPath, [
          ...[import.meta.filename, '--child', way, '--log', log],
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
        median(own, 'rss'),
      ];
    });
    process.stdout.write(
      `${lines} lines, ${Math.round((await stat(log)).size / 1e6)} MB gzipped, ${rounds} rounds\n`,
    );
    const names = ['way', 'median s', 'ratio', '1,000 lines/s', 'processor µs/line', 'peak MB'];
    process.stdout.write(textTable(names, rows));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function child(way: string, log: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-logs-bench-'));
  const [began, cpu] = [performance.now(), cpuSeconds()];
  try {
    await (way === 'crawlhouse' ? ours(log, folder) : baseline(log, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const found = { seconds: (performance.now() - began) / 1000, cpu: cpuSeconds() - cpu, rss: peakRss() };
  process.stdout.write(JSON.stringify(found));
}

async function ours(log: string, folder: string): Promise<void> {
  const [file] = await addLogsIn(folder, [log]);
  if (file?.status !== 'added') throw new Error(`${file?.status}: ${file?.error?.message}`);
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
