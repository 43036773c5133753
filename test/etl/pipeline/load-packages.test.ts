import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { drop } from '../../../src/etl/pipeline/drop.ts';
import { loadPackages } from '../../../src/etl/pipeline/load-packages.ts';
import type { Manifest } from '../../../src/etl/project/model/manifest.ts';
import type { RunResult } from '../../../src/etl/project/model/runs/run-result.ts';
import { anyCharacter } from '../../support/characters.ts';
import { rawProjectFolder } from '../../support/project.ts';
import { runs } from '../../support/runs.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { threads } from '../../support/threads.ts';
import { fields, makePackage } from './load/make-package.ts';

const PAGES = { fields: fields('url', 'depth natural', 'tags string many', 'data object', 'inrank float') };

const ROW = { url: 'a', depth: 1, tags: ['t'], data: { a: 1 }, inrank: 0.5 };

interface Place {
  readonly project: string;
  readonly packages: string;
  make(id: string, rows?: readonly Readonly<Record<string, unknown>>[]): Promise<string>;
  load(...folders: readonly string[]): Promise<RunResult>;
}

async function place(): Promise<Place> {
  const project = await rawProjectFolder();
  const packages = await temporaryFolder();
  const staging = await temporaryConnection(packages);
  return {
    project,
    packages,
    make: (id, rows = [ROW]) => makePackage(staging, packages, { id, ...PAGES, rows }),
    load: async (...folders) => {
      const settings = await loadSettings(project, {
        CRAWLHOUSE_ON_REJECT: 'quarantine',
        CRAWLHOUSE_THREADS: String(threads()),
      });
      return loadPackages(settings, folders, silentLogger, new AbortController().signal);
    },
  };
}

/** Path and SHA-256 of every file in a folder. */
async function hashes(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name);
    if ((await stat(path)).isFile())
      found[name] = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
  }
  return found;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
}

function writeManifest(folder: string, manifest: unknown): Promise<void> {
  return writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
}

/** Makes a part anew by some SQL, and lets the manifest say its true size and hash. */
async function replacePart(folder: string, sql: string, rows = 1): Promise<void> {
  const connection = await temporaryConnection(await temporaryFolder());
  const path = join(folder, 'parts', 'part-00001.parquet');
  await connection.run(`COPY (${sql}) TO ${text(path)} (FORMAT parquet)`);
  const bytes = await readFile(path);
  const manifest = await readManifest(folder);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const part = { file: 'parts/part-00001.parquet', rows, bytes: bytes.length, sha256 };
  await writeManifest(folder, { ...manifest, parts: [part] });
}

const GOOD = `'a' AS url, 1::BIGINT AS depth, ['t'] AS tags, '{}'::JSON AS data, 0.5::DOUBLE AS inrank`;

test.for([
  [
    `SELECT * REPLACE (1.5::DOUBLE AS depth) FROM (SELECT ${GOOD})`,
    '"depth" is DOUBLE, the manifest says BIGINT',
  ],
  [`SELECT * REPLACE ('7' AS depth) FROM (SELECT ${GOOD})`, '"depth" is VARCHAR, the manifest says BIGINT'],
  [`SELECT * EXCLUDE (url) FROM (SELECT ${GOOD})`, '"url" is not in it, the manifest says VARCHAR'],
  [`SELECT * RENAME (url AS Url) FROM (SELECT ${GOOD})`, '"url" is not in it, the manifest says VARCHAR'],
  [`SELECT ${GOOD} FROM range(2)`, 'has 2 rows, the manifest says 1'],
  [
    `SELECT * REPLACE ('nan'::DOUBLE AS inrank) FROM (SELECT ${GOOD})`,
    '"inrank" has an invalid DOUBLE value',
  ],
  [`SELECT * REPLACE ('b' AS url) FROM (SELECT ${GOOD})`, 'its parts have the fingerprint '],
  [`SELECT ${GOOD.replace("'{}'::JSON", "'{no'::VARCHAR")}`, '"data" is VARCHAR, the manifest says JSON'],
] as const)('a part whose schema or rows differ from the manifest is refused: %s', async ([sql, problem]) => {
  const { make, load, project } = await place();
  const folder = await make('c1');
  await replacePart(folder, sql);
  await expect(load(folder)).rejects.toMatchObject({
    code: 'bad_package',
    exitCode: 2,
    message: expect.stringContaining(problem),
  });
  expect(existsSync(join(project, 'warehouse.duckdb'))).toBe(false);
});

test('a file with the right hash that is not Parquet is refused', async () => {
  const { make, load } = await place();
  const folder = await make('c1');
  const path = join(folder, 'parts', 'part-00001.parquet');
  const whole = await readFile(path);
  // A byte of the values, not of the footer.
  whole[8] = (whole[8] ?? 0) ^ 0xff;
  for (const bytes of [Buffer.from('no Parquet'), whole]) {
    await writeFile(path, bytes);
    const manifest = await readManifest(folder);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const [part] = manifest.parts;
    await writeManifest(folder, { ...manifest, parts: [{ ...part, bytes: bytes.length, sha256 }] });
    await expect(load(folder)).rejects.toMatchObject({
      code: 'bad_package',
      message: expect.stringContaining(`${path} cannot be read: `),
    });
  }
});

test('the name of a folder includes no other file, and becomes no column', async () => {
  const { make, load, packages, project } = await place();
  const made = [await make('c1', [{ ...ROW, url: 'one' }]), await make('c2', [{ ...ROW, url: 'two' }])];
  for (const [index, name] of ['url=x', 'a*'].entries())
    await rename(made[index] ?? '', join(packages, name));
  for (const name of ['ab', 'ac']) await cp(join(packages, 'a*'), join(packages, name), { recursive: true });
  const { exitCode, report } = await load(join(packages, 'url=x'), join(packages, 'a*'));
  expect([exitCode, report.units.map((unit) => unit.counts.loaded)]).toEqual([0, [1, 1]]);
  const connection = await temporaryConnection(packages);
  await connection.run(`ATTACH ${text(join(project, 'warehouse.duckdb'))} AS w (READ_ONLY)`);
  const rows = await connection.rows('SELECT url FROM w.raw.crawl_pages ORDER BY url');
  expect(rows.map((row) => row.url)).toEqual(['one', 'two']);
});

test('two packages of one unit are refused, because one would replace the other', async () => {
  const { make, load, packages } = await place();
  const made = await make('c1');
  const copy = join(packages, 'copy');
  await cp(made, copy, { recursive: true });
  await expect(load(made, copy)).rejects.toMatchObject({
    code: 'bad_package',
    message: `${made} and ${copy} are both packages of crawl_pages/c1`,
  });
});

/** Adds lines to a file of the project. */
async function append(project: string, file: string, lines: string): Promise<void> {
  const path = join(project, file);
  await writeFile(path, `${await readFile(path, 'utf8')}\n${lines}\n`);
}

test('loading the package of a dropped unit brings it back, because naming it requests it', async () => {
  const { make, load, project } = await place();
  const made = await make('c1');
  await load(made);
  const settings = await loadSettings(project, {});
  const request = { crawls: ['c1'], projects: [], datasets: [] };
  await drop(settings, request, silentLogger, new AbortController().signal);
  const { exitCode, report } = await load(made);
  expect([exitCode, report.units[0]?.status, report.units[0]?.counts.queryable]).toEqual([0, 'loaded', 1]);
});

test('the pipeline of the dataset of a package decides on rejects and new fields, as in a run', async () => {
  const { make, load, project } = await place();
  await load(await make('c1'));
  await append(project, 'pipelines/crawl_pages.yaml', 'on_reject: fail\nschema_change: freeze');
  const rejected = await load(await make('c2', [ROW, { ...ROW, depth: 2.5 }]));
  expect(rejected.report.units[0]).toMatchObject({
    status: 'refused',
    error: { code: 'rejected_values', message: expect.stringContaining('depth = "2.5"') },
  });
});

test('a package with far fewer rows than previous crawls is quarantined if the settings say so', async () => {
  const { make, load, project } = await place();
  const many = Array.from({ length: 100 }, (_, index) => ({ ...ROW, url: `u${index}` }));
  for (const id of ['c1', 'c2', 'c3']) await load(await make(id, many));
  await append(project, 'crawlhouse.yaml', 'volume_check: { hold: true }');
  const { exitCode, report } = await load(await make('c4', many.slice(0, 10)));
  expect([exitCode, report.units[0]?.status, report.units[0]?.error?.code]).toEqual([
    4,
    'refused',
    'volume_held',
  ]);
});

/** Text that is an SQL injection, a way out of a folder, or a control character. */
const hostileText = fc.oneof(
  fc.constantFrom(
    'BIGINT); CREATE TABLE ops.pwned (a INTEGER); --',
    'VARCHAR DEFAULT (SELECT 1)',
    'INTEGER',
    'BLOB',
    '"',
    "x'y",
    '..',
    '../../etc/passwd',
    '/etc/passwd',
    '/dev/zero',
    'https://example.com/part.parquet',
    'parts/../parts/part-00001.parquet',
    'parts/*.parquet',
    './parts/part-00001.parquet',
    'ops',
    'a.b',
    'a/b',
    'a\nb',
    'a\u0000b',
    '\u001b[31mred',
    '',
  ),
  fc.string({ unit: anyCharacter }).map((some) => `${some};`),
);

/** One thing that is wrong with a manifest; the folder is the package's own copy. */
type Change = (manifest: Manifest, folder: string) => unknown;

function inUnit(change: (unit: Manifest['unit']) => unknown): Change {
  return (manifest) => {
    const unit = change(manifest.unit) as Manifest['unit'];
    const window = unit.window ? `/${unit.window.from}` : '';
    // The name agrees, so that nothing but the unit's own pattern refuses it.
    return { ...manifest, unit, name: `${unit.dataset}/${unit.source.id}${window}` };
  };
}

function inColumn(
  index: number,
  change: (column: Manifest['columns'][number], manifest: Manifest) => object,
): Change {
  return (manifest) => ({
    ...manifest,
    columns: manifest.columns.map((column, at) =>
      at === index % manifest.columns.length ? { ...column, ...change(column, manifest) } : column,
    ),
  });
}

function inFile(key: 'parts' | 'rejects', change: (file: Manifest['parts'][number]) => object): Change {
  return (manifest) => ({ ...manifest, [key]: manifest[key].map((file) => ({ ...file, ...change(file) })) });
}

const files = fc.constantFrom('parts' as const, 'rejects' as const);
const change: fc.Arbitrary<Change> = fc.oneof(
  hostileText.map((dataset) => inUnit((unit) => ({ ...unit, dataset }))),
  hostileText
    .filter((id) => id !== 'ops' && id !== 'INTEGER' && id !== 'BLOB')
    .map((id) => inUnit((unit) => ({ ...unit, source: { ...unit.source, id } }))),
  hostileText.map((from) => inUnit((unit) => ({ ...unit, window: { from, to: '2026-01-02' } }))),
  hostileText.map(
    (name): Change =>
      (manifest) => ({ ...manifest, name }),
  ),
  fc.tuple(fc.nat(), hostileText).map(([at, sql_type]) => inColumn(at, () => ({ sql_type }))),
  fc.tuple(fc.nat(), hostileText).map(([at, column]) => inColumn(at, () => ({ column }))),
  fc.nat().map((at) => inColumn(at, ({ type }) => ({ type: type === 'bool' ? 'date' : 'bool' }))),
  fc.constantFrom('constructor', '__proto__').map((type) => inColumn(0, () => ({ type }))),
  fc
    .nat()
    .map((at) =>
      inColumn(at, (column, { columns }) => ({
        column: columns.find((other) => other.field !== column.field)?.column.toUpperCase(),
      })),
    ),
  fc.constant<Change>((manifest) => ({ ...manifest, columns: [...manifest.columns, manifest.columns[0]] })),
  fc.constant<Change>((manifest) => ({
    ...manifest,
    columns: Array.from({ length: 1501 }, (_, index) => ({
      ...manifest.columns[0],
      field: `f${index}`,
      column: `f${index}`,
    })),
  })),
  fc.tuple(files, hostileText).map(([key, file]) => inFile(key, () => ({ file }))),
  fc.tuple(files, hostileText).map(([key, sha256]) => inFile(key, () => ({ sha256 }))),
  fc
    .tuple(files, fc.constantFrom(-1, 1, 2 ** 60, 0.5))
    .map(([key, by]) => inFile(key, ({ rows }) => ({ rows: rows + by }))),
  fc
    .tuple(files, fc.constantFrom(-1, 1))
    .map(([key, by]) => inFile(key, ({ bytes }) => ({ bytes: bytes + by }))),
  files.map(
    (key): Change =>
      (manifest) => ({ ...manifest, [key]: [...manifest[key], ...manifest[key]] }),
  ),
  fc.constantFrom(-1, 1, 0.5).map(
    (by): Change =>
      ({ counts, ...rest }) => ({ ...rest, counts: { ...counts, rejected: counts.rejected + by } }),
  ),
  fc.constant<Change>((manifest) => ({ ...manifest, rejects: [] })),
  fc.constant<Change>(async (manifest, folder) => {
    const path = join(folder, manifest.parts[0]?.file ?? '');
    await rename(path, join(folder, 'aside.parquet'));
    await symlink(join(folder, 'aside.parquet'), path);
    return manifest;
  }),
  fc.constantFrom('unit', 'columns', 'parts', 'counts', 'rejects').chain((key) =>
    fc
      .jsonValue()
      .filter((value) => !(Array.isArray(value) && value.length === 0))
      .map(
        (value): Change =>
          (manifest) => ({ ...manifest, [key]: value }),
      ),
  ),
);

test('no manifest of hostile values changes the warehouse or the state', async () => {
  const { make, load, packages, project } = await place();
  await load(await make('c1'));
  const hostile = await make('c2', [
    { ...ROW, depth: 2 },
    { ...ROW, depth: 2.5 },
  ]);
  const before = await hashes(project);
  expect(Object.keys(before)).toContain('warehouse.duckdb');
  const copy = join(packages, 'copy');
  await fc.assert(
    fc.asyncProperty(change, async (one) => {
      await rm(copy, { recursive: true, force: true });
      await cp(hostile, copy, { recursive: true });
      await writeManifest(copy, await one(await readManifest(copy), copy));
      const inside = await hashes(copy);
      await expect(load(copy)).rejects.toMatchObject({
        code: 'bad_package',
        exitCode: 2,
        message: expect.stringContaining(copy),
      });
      expect(await hashes(project)).toEqual(before);
      expect(await hashes(copy)).toEqual(inside);
    }),
    { numRuns: runs(150) },
  );
  expect((await load(hostile)).exitCode).toBe(0);
});
