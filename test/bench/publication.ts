import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { keepHeapSmall } from '../../src/cli/keep-heap-small.ts';
import { verifyBlocks } from '../../src/core/database-blocks.ts';
import { Database } from '../../src/core/duckdb.ts';
import { silentLogger } from '../../src/core/logger.ts';
import { textTable } from '../../src/core/text-table.ts';
import { publish } from '../../src/publish/publish.ts';
import { unitFingerprints } from '../../src/warehouse/fingerprint.ts';
import { CATALOG } from '../../src/warehouse/schema.ts';
import { WorkingCopy } from '../../src/warehouse/working-copy.ts';
import { cpuSeconds, peakRss } from './resources.ts';

/**
 * `node test/bench/publication.ts --gb 1`: what a publication costs after one unit more, in a warehouse of so many GB,
 * and how much of it proves the copy: its blocks and the fingerprint of the new unit.
 */
keepHeapSmall();
const { values } = parseArgs({
  options: { gb: { type: 'string', default: '1' }, folder: { type: 'string', default: tmpdir() } },
});
const ROWS_A_UNIT = 200_000;
const UNITS_AT_ONCE = 10;
const WEIGHTS = 10;
const ROUNDS = 3;
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
    { stateDir: join(folder, 'state'), warehouse },
    silentLogger,
  );
  const { connection } = working;
  const weights = Array.from({ length: WEIGHTS }, (_, index) => `w${index}`);
  const columns = ['id', 'origin', ...weights];
  await connection.run(
    `CREATE TABLE raw.crawl_links (_unit VARCHAR, id BIGINT, origin VARCHAR, ${weights.map((name) => `${name} DOUBLE`).join(', ')})`,
  );
  let units = 0;
  const load = async (count: number): Promise<string[]> => {
    const names = Array.from({ length: count }, () => `crawl_links/${String(units++).padStart(8, '0')}`);
    await connection.run(
      `INSERT INTO raw.crawl_links SELECT from_json($1, '["VARCHAR"]')[1 + i // ${ROWS_A_UNIT}], i,
         'https://www.example.com/' || hash(i + $2), ${weights.map(() => 'random()').join(', ')}
       FROM range(${count * ROWS_A_UNIT}) AS t(i)`,
      [JSON.stringify(names), units],
    );
    for (const unit of names) {
      await connection.run(
        `INSERT INTO ops.unit_fields (unit, dataset, column_name)
         SELECT $1, 'crawl_links', unnest(from_json($2, '["VARCHAR"]'))`,
        [unit, JSON.stringify(columns)],
      );
      await connection.run(
        `INSERT INTO ops.loads (unit, dataset, source_kind, loaded) VALUES ($1, 'crawl_links', 'crawl', $2)`,
        [unit, BigInt(ROWS_A_UNIT)],
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
  for (let round = 0; round < ROUNDS; round++) {
    const names = await load(1);
    for (const [unit, fingerprint] of await unitFingerprints(connection, CATALOG, {
      dataset: 'crawl_links',
      units: names,
    }))
      await connection.run('UPDATE ops.loads SET fingerprint = $1 WHERE unit = $2', [fingerprint, unit]);
    const [publication, cpu] = await timed(() => publish(working, silentLogger, signal));
    const [blocks] = await timed(() => verifyBlocks(warehouse, signal));
    const [print] = await timed(() =>
      unitFingerprints(connection, CATALOG, { dataset: 'crawl_links', units: names }),
    );
    const gb = (await stat(warehouse)).size / 1e9;
    const ratio = publication / (publication - blocks - print);
    rows.push([gb, publication, cpu, blocks, print, ratio].map((value) => value.toFixed(2)));
  }
  const header = ['GB', 'publish s', 'processor s', 'of it blocks s', 'fingerprint s', 'ratio'];
  process.stdout.write(`${textTable(header, rows)}\npeak memory ${Math.round(peakRss())} MB\n`);
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
