import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { parquetFiles, text } from '../../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import type { WorkingCopy } from '../../../../src/etl/engines/working-copy.ts';
import { type LoadOptions, loadPackage } from '../../../../src/etl/pipeline/load/load-package.ts';
import { type Package, readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { publish } from '../../../../src/etl/pipeline/publish/publish.ts';
import type { LoadContext } from '../../../../src/etl/pipeline/unit/contexts.ts';
import { loadTogether } from '../../../../src/etl/pipeline/unit/load-units.ts';
import type { Pipeline } from '../../../../src/etl/project/model/pipeline.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking } from '../../engines/open-working.ts';
import { fields, makePackage, type PackageSpec } from './make-package.ts';
import '../../../support/process-timeout.ts';

const options: LoadOptions = { runId: 'r', schemaChange: 'evolve', signal: new AbortController().signal };

/** As a run loads packages together. */
const loadAll = (working: WorkingCopy, packages: readonly Package[], pipeline?: Pipeline) => {
  const context = {
    settings: {
      schema_change: 'evolve',
      on_reject: 'quarantine',
      volume_check: { min_ratio: 0, hold: false },
    },
    working,
    runId: options.runId,
    holds: new Map(),
    modelsVersion: '',
    fieldsRead: () => new Map(),
    signal: options.signal,
    named: true,
    reload: false,
  } as unknown as LoadContext;
  return loadTogether(
    working,
    packages.map((staged) => ({ context, staged, pipeline })),
  );
};

const URLS = fields('url', 'depth natural');

/** Packages of one dataset, in their order: some fit each other, some change the table, some replace a unit. */
const SPECS: readonly PackageSpec[] = [
  {
    id: 'c1',
    fields: URLS,
    rows: [
      { url: "it's", depth: 2n ** 62n },
      { url: '', depth: null },
    ],
  },
  { id: 'c2', fields: URLS, rows: [{ url: 'b', depth: 1 }] },
  { id: 'c3', fields: URLS, rows: [] },
  { id: 'c4', fields: fields('url', 'depth natural', 'title'), rows: [{ url: 'd', depth: 4, title: 'D' }] },
  {
    id: 'c5',
    fields: URLS,
    rows: [
      { url: 'e', depth: 5 },
      { url: 'f', depth: 6 },
    ],
  },
  { id: 'c6', fields: URLS, rows: [{ url: 'g', depth: 7 }] },
  {
    id: 'c9',
    fields: URLS,
    rows: [{ url: 'j', depth: 10 }],
    unit: { window: { from: '2026-01-01', to: '2026-01-08' } },
  },
  { id: 'c7', fields: fields('url'), rows: [{ url: 'h' }] },
  { id: 'c8', fields: URLS, rows: [{ url: 'i', depth: 2n ** 70n }] },
];

async function opened(): Promise<{
  readonly working: WorkingCopy;
  readonly stage: (spec: PackageSpec, name?: string) => Promise<Package>;
}> {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  return {
    working,
    stage: async (spec, name = '') => readPackage(await makePackage(staging, `${folder}${name}`, spec)),
  };
}

/** Each row of the warehouse, but for times. */
async function contents({ connection }: WorkingCopy): Promise<unknown> {
  return {
    pages: await connection.jsonRows('SELECT * EXCLUDE (_loaded_at) FROM raw.crawl_pages ORDER BY ALL'),
    loads: await connection.jsonRows('SELECT * EXCLUDE (loaded_at) FROM ops.loads ORDER BY ALL'),
    fields: await connection.jsonRows('FROM ops.unit_fields ORDER BY ALL'),
  };
}

test('packages loaded together leave the same state as one by one', async () => {
  const [alone, together] = [await opened(), await opened()];
  const counts: unknown[] = [];
  for (const spec of SPECS) {
    counts.push(await loadPackage(alone.working, await alone.stage(spec), options));
    await together.stage(spec);
  }
  const packages: Package[] = [];
  for (const spec of SPECS) packages.push(await together.stage(spec));
  const marked = vi.spyOn(together.working, 'markDirty');
  const results = await loadAll(together.working, packages);
  expect(results).toEqual(counts.map((value) => ({ status: 'fulfilled', value })));
  expect(await contents(together.working)).toEqual(await contents(alone.working));
  // c2 and c3 in one transaction; each of the others has other fields than the unit before it, or follows such a one.
  expect(marked).toHaveBeenCalledTimes(SPECS.length - 1);
  const { connection } = together.working;
  expect(await connection.column('SELECT unit FROM ops.loads ORDER BY loaded_at')).toEqual(
    packages.map(({ manifest }) => manifest.name),
  );
  expect(await connection.scalar('SELECT count(DISTINCT loaded_at) FROM ops.loads')).toBe(
    BigInt(SPECS.length),
  );
  // Again, with other rows: the former ones of each unit go.
  const again = { id: 'c2', fields: URLS, rows: [{ url: 'new', depth: 1 }] };
  const other = { id: 'c10', fields: URLS, rows: [{ url: 'tenth', depth: 9 }] };
  for (const spec of [other, again])
    await loadPackage(alone.working, await alone.stage(spec, '-again'), options);
  const two = [await together.stage(again, '-again'), await together.stage(other, '-again')];
  await loadAll(together.working, two);
  expect(await contents(together.working)).toEqual(await contents(alone.working));
  await publish(together.working, silentLogger, options.signal);
});

test('a package that cannot be loaded does not affect other packages', async () => {
  const { working, stage } = await opened();
  const packages: Package[] = [];
  for (const spec of SPECS) packages.push(await stage(spec));
  const [first, second] = packages;
  if (!first || !second) throw new Error('no packages');
  await loadPackage(working, first, options);
  const path = join(second.folder, second.manifest.parts[0]?.file ?? '');
  await working.connection.run(`CREATE TEMP TABLE whole AS FROM ${parquetFiles([path])}`);
  await working.connection.run(`COPY (FROM whole UNION ALL FROM whole) TO ${text(path)} (FORMAT parquet)`);
  const results = await loadAll(working, packages.slice(1));
  expect(results.map(({ status }) => status)).toEqual(['rejected', ...Array(7).fill('fulfilled')]);
  expect(results[0]).toMatchObject({ reason: { code: 'unreconciled' } });
  const units = await working.connection.column('SELECT unit FROM ops.loads ORDER BY unit');
  expect(units).toEqual(
    ['1', '3', '4', '5', '6', '7', '8', '9/2026-01-01'].map((id) => `crawl_pages/c${id}`),
  );
  await publish(working, silentLogger, options.signal);
});

const NUMBERS = fields('url', 'value natural');
const TEXTS = fields('url', 'value');
const FLOATS = fields('url', 'value float');
const LISTS = fields('url', 'value string many');

test.each<[string, readonly PackageSpec[], string[]]>([
  [
    'a text that reads like a list stays a text, where a later package makes the column one of lists',
    [
      { id: 'c1', fields: TEXTS, rows: [{ url: 'a', value: '[b, c]' }] },
      { id: 'c2', fields: TEXTS, rows: [{ url: 'b', value: '[]' }] },
      { id: 'c3', fields: LISTS, rows: [{ url: 'c', value: ['e', 'f'] }] },
    ],
    ['["[b, c]"]', '["[]"]', '["e","f"]'],
  ],
  [
    'each value is read in the type of its own package',
    [
      { id: 'c1', fields: NUMBERS, rows: [{ url: 'a', value: 1 }] },
      { id: 'c2', fields: FLOATS, rows: [{ url: 'b', value: 2.5 }] },
    ],
    ['"1"', '"2.5"'],
  ],
])('%s', async (_, specs, values) => {
  const { working, stage } = await opened();
  const first = { id: 'c0', fields: TEXTS, rows: [] };
  await loadPackage(working, await stage(first), options);
  const packages = [];
  for (const spec of specs) {
    // Each of a project of its own, so that none changes the fields of another.
    const source = { kind: 'crawl' as const, id: spec.id, project_id: spec.id };
    packages.push(await stage({ ...spec, unit: { source } }));
  }
  const retyped = { columns: { value: { retype: 'allow' } } } as unknown as Pipeline;
  const results = await loadAll(working, packages, retyped);
  expect(results).toEqual(specs.map(() => expect.objectContaining({ status: 'fulfilled' })));
  const found = await working.connection.column(
    'SELECT CAST(to_json("value") AS VARCHAR) FROM raw.crawl_pages ORDER BY url',
  );
  expect(found).toEqual(values);
  await publish(working, silentLogger, options.signal);
});
