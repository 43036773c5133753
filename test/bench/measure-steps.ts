import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import { keepHeapSmall } from '../../src/app/cli/keep-heap-small.ts';
import { Connection, Database } from '../../src/core/duckdb/duckdb.ts';
import { parquetRows } from '../../src/core/duckdb/parquet-rows.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { WorkingCopy } from '../../src/etl/engines/working-copy.ts';
import { loadPackage } from '../../src/etl/pipeline/load/load-package.ts';
import { readPackage } from '../../src/etl/pipeline/load/read-package.ts';
import { type BodyFacts, verifiedBody } from '../../src/etl/pipeline/routes/download/verified-body.ts';
import { writeParts } from '../../src/etl/pipeline/routes/download/write-parts.ts';
import { stagingConnections } from '../../src/etl/pipeline/stage/macros.ts';
import { PackageBuilder, type PackageContent } from '../../src/etl/pipeline/stage/package-builder.ts';
import { writeManifest } from '../../src/etl/pipeline/stage/unit-folders.ts';
import type { Part } from '../../src/etl/project/model/download.ts';
import type { Manifest } from '../../src/etl/project/model/manifest.ts';
import { IN_DUCKDB } from '../support/in-duckdb.ts';
import type { BenchData } from './bench-data.ts';
import { cpuSeconds } from './resources.ts';
import { wayOf } from './ways.ts';

/**
 * Processor seconds of each step of a unit, one step after the other and on one thread, so that each second belongs to
 * one of them. The steps are those of the program: only their order is the bench's own.
 */
keepHeapSmall();
const [baseUrl = '', folder = '', name = '', , wayName = '', , data = ''] = process.argv.slice(2);
const way = wayOf(wayName);
const { fields, rows }: Pick<BenchData, 'fields' | 'rows'> = JSON.parse(
  await readFile(join(data, `${name}.fields.json`), 'utf8'),
);
const signal = new AbortController().signal;
const facts: BodyFacts = { bytes: 0, sha256: '' };
const file = `${name}.${way.extension}`;

/** Step → seconds. */
const steps: Record<string, number> = {};
/** Seconds within a step that belong to its statements. */
let statements = 0;

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const before = cpuSeconds();
  statements = 0;
  const result = await work();
  add(what, cpuSeconds() - before - statements);
  return result;
}

function add(what: string, seconds: number): void {
  steps[what] = (steps[what] ?? 0) + Math.max(0, seconds);
}

/** The step of a statement, by its first words; the others stay with the step that they are part of. */
const STATEMENTS: readonly [RegExp, string][] = [
  [/^SELECT count\(\*\) FROM \(.*json/s, 'keys'],
  [/^SELECT count\(\*\) AS n/, 'check'],
  [/^INSERT INTO "raw"/, 'insert'],
  [/^(COMMENT|CREATE TABLE|ALTER TABLE)/, 'columns'],
];

const { run, rows: rowsOf, scalar } = Connection.prototype;
async function timed<T>(connection: Connection, sql: string, work: () => Promise<T>): Promise<T> {
  const copied = /^COPY \(SELECT \*.*? FROM \((.*)\)\) TO '/s.exec(sql)?.[1];
  if (copied !== undefined) await splitCopy(connection, copied);
  const before = cpuSeconds();
  try {
    return await work();
  } finally {
    const seconds = cpuSeconds() - before;
    const found = copied === undefined ? STATEMENTS.find(([form]) => form.test(sql))?.[1] : 'encode';
    if (found) {
      statements += seconds;
      add(found, found === 'encode' ? seconds - lastRead : seconds);
    }
  }
}

/** Seconds that the last part took to be read and converted. */
let lastRead = 0;

/** Reads a part, and converts it, each without writing anything. */
async function splitCopy(connection: Connection, select: string): Promise<void> {
  const reader = select.slice(select.lastIndexOf(' FROM read_') + 6);
  const seconds: number[] = [];
  for (const from of [reader, `(${select})`]) {
    const before = cpuSeconds();
    await rowsOf.call(connection, `SELECT count(COLUMNS(*)) FROM ${from}`);
    seconds.push(cpuSeconds() - before);
  }
  const [read = 0, both = 0] = seconds;
  lastRead = both;
  statements += read + both;
  add('read', read);
  add('convert', both - read);
}

Connection.prototype.run = function (sql, ...more) {
  return timed(this, sql, () => run.call(this, sql, ...more));
};
Connection.prototype.rows = function <T>(this: Connection, sql: string, ...more: never[]): Promise<T[]> {
  return timed(this, sql, () => rowsOf.call(this, sql, ...more) as Promise<T[]>);
} as Connection['rows'];
Connection.prototype.scalar = function (sql, ...more) {
  return timed(this, sql, () => scalar.call(this, sql, ...more));
};

async function body(): Promise<Readable> {
  if (way.route === 'export')
    return (await request(`${baseUrl}/storage/v1/b/bench/o/${file}?alt=media`)).body;
  const url = `${baseUrl}/api/v2/data/crawl/${name}/pages?export=true&file_type=${way.format}`;
  const headers = way.gzip ? { 'accept-encoding': 'gzip' } : {};
  return (await request(url, { method: 'POST', body: '{}', headers })).body;
}

/** The body as a unit gets it: unpacked, counted and hashed. */
async function content(): Promise<AsyncGenerator<Buffer>> {
  return verifiedBody(await body(), file, facts, way.gzip ? { encoding: 'gzip' } : {});
}

async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _piece of pieces);
}

async function rawParts(): Promise<Part[]> {
  if (way.format === 'parquet') {
    const path = join(folder, 'part-00001.parquet');
    await pipeline(await content(), createWriteStream(path));
    const count = await parquetRows(path, file);
    const whole = { path, format: way.format, file, firstLine: 1, rows: count } as const;
    return [{ ...whole, header: null, delimiter: null }];
  }
  const names = fields.map((field) => field.name);
  return Array.fromAsync(writeParts(await content(), { folder, format: way.format, file, fields: names }));
}

function manifestOf(staged: PackageContent): Manifest {
  const unit = { dataset: 'crawl_pages', source: { kind: 'crawl', id: name, project_id: 'bench' } } as const;
  const at = new Date().toISOString();
  return {
    version: 1,
    unit: { ...unit, window: null },
    name: `${unit.dataset}/${name}`,
    run_id: 'bench',
    source: { base_url: baseUrl, route: way.route, format: way.format, filter: null, requested_at: at },
    columns: [...staged.columns],
    parts: staged.parts,
    counts: { reported: rows, received: rows, staged: staged.staged, rejected: staged.rejected },
    rejects: [...staged.rejects],
    notes: [...staged.notes],
    fingerprint: staged.fingerprint,
    bytes: facts.bytes,
    content_sha256: facts.sha256,
    attempts: 1,
    seconds: 0,
    created_at: at,
  };
}

await drain(await body());
await step('receive', async () => drain(await body()));
await step('hash', async () => drain(await content()));
const raw = await step('write', rawParts);
// Each of these includes the one before it.
steps.write = Math.max(0, (steps.write ?? 0) - (steps.hash ?? 0));
steps.hash = Math.max(0, (steps.hash ?? 0) - (steps.receive ?? 0));

await using database = await Database.open({
  memoryLimit: '400MB',
  threads: 1,
  tempDirectory: join(folder, 'spill'),
});
const state = { stateDir: folder, warehouse: join(folder, 'warehouse.duckdb'), engine: IN_DUCKDB };
const working = await WorkingCopy.open(database, state, silentLogger);
const staging = stagingConnections(() => database.connect());
const target = join(folder, 'package');
await mkdir(target);
for (const key of Object.keys(steps)) if (!['receive', 'hash', 'write'].includes(key)) delete steps[key];
const builder = await PackageBuilder.create(staging, target, fields, { shown: 'every' });
await step('other', async () => {
  for (const part of raw) await builder.addPart(part, signal);
});
await step('seal', async () =>
  writeManifest(target, manifestOf(await builder.finish(raw[0]?.header ?? null, signal))),
);
const staged = await readPackage(target);
const counts = await step('other', () =>
  loadPackage(working, staged, { runId: 'bench', schemaChange: 'evolve', signal }),
);
if (counts.loaded !== rows) throw new Error(`${counts.loaded} rows loaded, not ${rows}`);
await step('checkpoint', () => working.detach());
process.stdout.write(`${JSON.stringify(steps)}\n`);
process.exit(0);
