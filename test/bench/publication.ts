import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { keepHeapSmall } from '../../src/app/cli/keep-heap-small.ts';
import { Database, parquetFiles, text } from '../../src/core/duckdb/duckdb.ts';
import { createLogger, silentLogger } from '../../src/core/logs/logger.ts';
import { WorkingCopy } from '../../src/etl/engines/working-copy.ts';
import { publish } from '../../src/etl/pipeline/publish/publish.ts';
import { unitFingerprints } from '../../src/etl/state/catalog/fingerprint.ts';
import { CATALOG, FILE_OPTIONS } from '../../src/etl/state/catalog/schema.ts';
import { IN_DUCKDB } from '../support/in-duckdb.ts';
import { cpuSeconds, peakRss } from './resources.ts';

/**
 * `node test/bench/publication.ts --gb 1`: what a publication costs after one unit more, in a warehouse of so many GB.
 * The first rows copy everything, because there is no spare file yet. With `--cold` (root) nothing is in the page cache.
 * `--files 24` measures what readers would pay if the same rows lay in so many files.
 */
keepHeapSmall();
const { values } = parseArgs({
  options: {
    gb: { type: 'string', default: '1' },
    folder: { type: 'string', default: tmpdir() },
    cold: { type: 'boolean', default: false },
    files: { type: 'string', default: '0' },
  },
});
const ROWS_A_UNIT = 200_000;
const UNITS_AT_ONCE = 10;
const WEIGHTS = 10;
const ROUNDS = 5;
/** Longer than a spare file rests. */
const DAY = 86_400_000;
const signal = new AbortController().signal;
const folder = await mkdtemp(join(values.folder, 'crawlhouse-publication-'));
const warehouse = join(folder, 'warehouse.duckdb');
const database = await Database.open({
  memoryLimit: '400MB',
  threads: 2,
  tempDirectory: join(folder, 'spill'),
});

try {
  await mkdir(join(folder, 'state'));
  const working = await WorkingCopy.open(
    database,
    { stateDir: join(folder, 'state'), warehouse, engine: IN_DUCKDB },
    silentLogger,
  );
  const { connection } = working;
  const weights = Array.from({ length: WEIGHTS }, (_, index) => `w${index}`);
  const columns = ['id', 'origin', ...weights];
  await connection.run(
    `CREATE TABLE raw.crawl_links (_unit VARCHAR USING COMPRESSION dict_fsst, _loaded_at TIMESTAMP WITH TIME ZONE, id BIGINT, origin VARCHAR, ${weights.map((name) => `${name} DOUBLE`).join(', ')})`,
  );
  let units = 0;
  const load = async (count: number): Promise<string[]> => {
    const names = Array.from({ length: count }, () => `crawl_links/${String(units++).padStart(8, '0')}`);
    await connection.run(
      `INSERT INTO raw.crawl_links SELECT from_json($1, '["VARCHAR"]')[1 + i // ${ROWS_A_UNIT}], make_timestamptz(CAST($3 AS BIGINT)), i,
         'https://www.example.com/' || hash(i + $2), ${weights.map(() => 'random()').join(', ')}
       FROM range(${count * ROWS_A_UNIT}) AS t(i)`,
      [JSON.stringify(names), units, BigInt(Date.now()) * 1000n],
    );
    for (const unit of names) {
      await connection.run(
        `INSERT INTO ops.unit_fields (unit, dataset, column_name)
         SELECT $1, 'crawl_links', unnest(from_json($2, '["VARCHAR"]'))`,
        [unit, JSON.stringify(columns)],
      );
      await connection.run(
        `INSERT INTO ops.loads (unit, dataset, source_kind, loaded, loaded_at)
         VALUES ($1, 'crawl_links', 'crawl', $2, make_timestamptz(CAST($3 AS BIGINT)))`,
        [unit, BigInt(ROWS_A_UNIT), BigInt(Date.now()) * 1000n],
      );
    }
    await working.markDirty();
    return names;
  };
  while ((await stat(working.path)).size < Number(values.gb) * 1e9) {
    await load(UNITS_AT_ONCE);
    await working.detach();
    await working.attach();
  }
  await publish(working, silentLogger, signal);
  const rows: string[][] = [];
  const realNow = Date.now;
  for (let round = 1; round <= ROUNDS; round++) {
    Date.now = () => realNow() + round * DAY;
    const names = await load(1);
    const among = { dataset: 'crawl_links', units: names };
    for (const [unit, fingerprint] of await unitFingerprints(connection, CATALOG, among))
      await connection.run('UPDATE ops.loads SET fingerprint = $1 WHERE unit = $2', [fingerprint, unit]);
    if (values.cold) dropPageCache();
    let copied: Fields = {};
    const logger = createLogger('debug', (line) => {
      copied = fieldsOf(line) ?? copied;
    });
    const [publication, cpu] = await timed(() => publish(working, logger, signal));
    const gb = (await stat(warehouse)).size / 1e9;
    const mb = Number(copied.bytes) / 1e6;
    rows.push([gb.toFixed(2), String(copied.how), mb.toFixed(0), publication.toFixed(2), cpu.toFixed(2)]);
  }
  const header = ['GB', 'copy', 'MB copied', 'publish s', 'processor s'];
  process.stdout.write(`${textTable(header, rows)}\npeak memory ${Math.round(peakRss())} MB\n`);
  await working.detach();
  if (Number(values.files) > 0) process.stdout.write(await measureFiles(Number(values.files)));
} finally {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
}

/** Seconds of a piece of work, and of the processor. */
async function timed(work: () => Promise<unknown>): Promise<[seconds: number, cpu: number]> {
  const [startedAt, cpu] = [performance.now(), cpuSeconds()];
  await work();
  return [(performance.now() - startedAt) / 1000, cpuSeconds() - cpu];
}

type Fields = Record<string, string>;

/** The fields of the line that says how the copy was made. */
function fieldsOf(line: string): Fields | undefined {
  if (!line.includes(' copied ')) return undefined;
  return Object.fromEntries([...line.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

function dropPageCache(): void {
  execFileSync('sync');
  writeFileSync('/proc/sys/vm/drop_caches', '3');
}

/**
 * The same rows in one file, in files that are attached, and in Parquet files behind a view. A program that reads begins
 * anew each time: it opens, counts, and takes one unit.
 */
async function measureFiles(files: number): Promise<string> {
  const lines: string[][] = [];
  using connection = await database.connect();
  await connection.run(`ATTACH ${text(warehouse)} AS whole (READ_ONLY)`);
  const parts = Array.from({ length: files }, (_, part) => part);
  const from = (part: number): string =>
    `SELECT * FROM whole.raw.crawl_links WHERE CAST(right(_unit, 8) AS INTEGER) % ${files} = ${part}`;
  const file = (part: number, end: string): string => join(folder, `part-${part}.${end}`);
  for (const part of parts) {
    await connection.run(`ATTACH ${text(file(part, 'duckdb'))} AS part (${FILE_OPTIONS})`);
    await connection.run(`CREATE TABLE part.links AS ${from(part)}`);
    await connection.run('DETACH part');
    await connection.run(
      `COPY (${from(part)}) TO ${text(file(part, 'parquet'))} (FORMAT parquet, COMPRESSION zstd)`,
    );
  }
  await connection.run('DETACH whole');
  const attached = parts.map((part) => `p${part}`);
  const union = attached.map((name) => `SELECT * FROM ${name}.links`).join(' UNION ALL ');
  const ways: readonly (readonly [string, readonly string[]])[] = [
    [
      'one file',
      [
        `ATTACH ${text(warehouse)} AS whole (READ_ONLY)`,
        'CREATE OR REPLACE TEMP VIEW links AS FROM whole.raw.crawl_links',
      ],
    ],
    [
      `${files} attached files`,
      [
        ...parts.map((part) => `ATTACH ${text(file(part, 'duckdb'))} AS p${part} (READ_ONLY)`),
        `CREATE OR REPLACE TEMP VIEW links AS ${union}`,
      ],
    ],
    [
      `${files} Parquet files`,
      [
        `CREATE OR REPLACE TEMP VIEW links AS FROM ${parquetFiles(parts.map((part) => file(part, 'parquet')))}`,
      ],
    ],
  ];
  for (const [name, opening] of ways) {
    const [open] = await timed(async () => {
      for (const statement of opening) await connection.run(statement);
    });
    const [count] = await timed(() => connection.scalar('SELECT count(*) FROM links'));
    const point = `SELECT sum(w0) FROM links WHERE _unit = 'crawl_links/00000003' AND id < 1000`;
    const [first] = await timed(() => connection.scalar(point));
    lines.push([name, open.toFixed(3), count.toFixed(3), first.toFixed(3)]);
  }
  return textTable(['rows in', 'open s', 'count s', 'one unit s'], lines);
}
