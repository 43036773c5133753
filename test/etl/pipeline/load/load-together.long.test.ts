import fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import type { WorkingCopy } from '../../../../src/etl/engines/working-copy.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { publish } from '../../../../src/etl/pipeline/publish/publish.ts';
import type { LoadContext } from '../../../../src/etl/pipeline/unit/contexts.ts';
import { loadStaged, loadTogether } from '../../../../src/etl/pipeline/unit/load-units.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';
import type { Manifest } from '../../../../src/etl/project/model/manifest.ts';
import type { Pipeline } from '../../../../src/etl/project/model/pipeline.ts';
import type { Hold } from '../../../../src/etl/state/catalog/ops/ops-holds.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking } from '../../engines/open-working.ts';
import { makePackage, type PackageSpec } from './make-package.ts';
import '../../../support/process-timeout.ts';

/** Values of the type of a field, as the service writes them. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  natural: fc.constantFrom(0, 1, 2n ** 53n + 1n, 2n ** 63n, 10n ** 30n, null),
  float: fc.constantFrom(0.5, 2.5, -1e300, null),
  string: fc.constantFrom('', 'a', '[a]', '[]', '1', "it's", '"', '2026-01-01', null),
  date: fc.constantFrom('2026-01-01', null),
  enum: fc.constantFrom('a', '[b, c]', null),
};

const NAMES = ['url', 'r', 's', 'frozen', 'URL', 'own', 'parts', '_unit', '_file', '_part', `it's "q"`];

const field: fc.Arbitrary<Field> = fc.record({
  name: fc.constantFrom(...NAMES),
  type: fc.oneof(
    { weight: 6, arbitrary: fc.constant('string') },
    { weight: 4, arbitrary: fc.constantFrom('natural', 'float', 'date', 'enum') },
  ),
  arity: fc.oneof(
    { weight: 6, arbitrary: fc.constant<'one'>('one') },
    { weight: 1, arbitrary: fc.constant<'many'>('many') },
  ),
});

/** A few shapes that the units of one warehouse share, so that many fit each other. */
const shapes = fc.array(fc.uniqueArray(field, { minLength: 1, maxLength: 4, selector: ({ name }) => name }), {
  minLength: 1,
  maxLength: 4,
});

function rowsOf(fields: readonly Field[]): fc.Arbitrary<Record<string, unknown>[]> {
  const value = ({ type, arity }: Field): fc.Arbitrary<unknown> => {
    const one = VALUES[type] ?? fc.constant(null);
    return arity === 'one' ? one : fc.oneof(fc.constant(null), fc.array(one, { maxLength: 2 }), one);
  };
  const row = fc.record(Object.fromEntries(fields.map((one) => [one.name, value(one)])));
  const many = fc.tuple(row, fc.constantFrom(20, 60, 100)).map(([one, times]) => Array(times).fill(one));
  return fc.oneof({ weight: 4, arbitrary: fc.array(row, { maxLength: 5 }) }, { weight: 1, arbitrary: many });
}

const batch = (known: readonly Field[][], ids: readonly string[]): fc.Arbitrary<PackageSpec[]> =>
  fc
    .uniqueArray(
      fc
        .constantFrom(...known)
        .chain((fields) =>
          fc.record({
            id: fc.constantFrom(...ids),
            fields: fc.constant(fields),
            rows: rowsOf(fields),
            project: fc.constantFrom('p1', 'p1', 'p2', null),
            isWindowed: fc.boolean(),
          }),
        ),
      { minLength: 2, maxLength: 9, selector: ({ id }) => id },
    )
    .map((specs) =>
      specs.map(({ id, fields, rows, project, isWindowed }) => ({
        id,
        fields,
        rows,
        unit: {
          source: { kind: 'crawl' as const, id, project_id: project },
          window: isWindowed ? { from: '2026-01-01', to: '2026-01-08' } : null,
        },
      })),
    );

const IDS = Array.from({ length: 12 }, (_, at) => `c${at}`);

const history = shapes.chain((known) =>
  fc.record({
    batches: fc.tuple(batch(known, IDS), batch(known, IDS)),
    schemaChange: fc.constantFrom<'variant' | 'evolve' | 'freeze'>('variant', 'evolve', 'freeze'),
    onReject: fc.constantFrom<'quarantine' | 'fail'>('quarantine', 'quarantine', 'fail'),
    hold: fc.boolean(),
    /** Whose content a data test held before. */
    held: fc.subarray(IDS, { maxLength: 8 }),
  }),
);

const holdOf = ({ name, content_sha256 }: Manifest): Hold => ({
  unit: name,
  model: 'mart.a',
  test: 't',
  content_sha256,
  models: '',
  error: { code: 'test_held', message: 'held before', hint: null },
});

/** All that a warehouse holds, but for times. */
async function contents({ connection }: WorkingCopy): Promise<unknown> {
  const isThere = await connection.scalar(
    "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'raw' AND table_name = 'crawl_pages'",
  );
  const all = (sql: string) => connection.jsonRows(`${sql} ORDER BY ALL`);
  return {
    pages: isThere ? await all('SELECT * EXCLUDE (_loaded_at) FROM raw.crawl_pages') : [],
    columns: await all(
      "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE schema_name = 'raw' AND database_name = current_database()",
    ),
    loads: await all('SELECT * EXCLUDE (loaded_at) FROM ops.loads'),
    order: await connection.column('SELECT unit FROM ops.loads ORDER BY loaded_at'),
    fields: await all('FROM ops.unit_fields'),
    changes: await all('SELECT * EXCLUDE (changed_at) FROM ops.schema_changes'),
    rejects: await all('SELECT unit, dataset, file, line, field, "value", reason FROM ops.rejects'),
  };
}

test('packages loaded together leave the same state as one by one, whatever their fields, values and refusals', async () => {
  const pipeline = {
    columns: { r: { retype: 'allow' }, frozen: { schema_change: 'freeze' } },
  } as unknown as Pipeline;
  await fc.assert(
    fc.asyncProperty(history, async ({ batches, schemaChange, onReject, hold, held }) => {
      const folder = await temporaryFolder();
      const database = await openDatabase(folder);
      const alone = await openWorking(`${folder}/alone`, database);
      const together = await openWorking(`${folder}/together`, await openDatabase(`${folder}/database`));
      const staging = await database.connect();
      const holds = new Map<string, Hold>();
      const contextOf = (working: WorkingCopy, runId: string) =>
        ({
          settings: { volume_check: { min_ratio: 0.5, hold } },
          working,
          runId,
          holds,
          modelsVersion: '',
          fieldsRead: () => new Map(),
          signal: new AbortController().signal,
          named: false,
          reload: false,
        }) as unknown as LoadContext;
      for (const [at, specs] of batches.entries()) {
        const packages = [];
        for (const spec of specs)
          packages.push(await readPackage(await makePackage(staging, `${folder}/${at}`, spec)));
        for (const { manifest } of packages)
          if (held.includes(manifest.unit.source.id)) holds.set(manifest.name, holdOf(manifest));
        const asked = { ...pipeline, schema_change: schemaChange, on_reject: onReject };
        const ordered = [
          ...Map.groupBy(packages, ({ manifest }) => manifest.unit.source.project_id).values(),
        ].flat();
        const expected = new Map();
        for (const staged of ordered) {
          const context = contextOf(alone, `r${at}`);
          const [result] = await Promise.allSettled([loadStaged(context, staged, asked)]);
          expected.set(staged, result);
        }
        const results = await loadTogether(
          together,
          packages.map((staged) => ({ context: contextOf(together, `r${at}`), staged, pipeline: asked })),
        );
        expect(results).toEqual(packages.map((one) => expected.get(one)));
        expect(await contents(together)).toEqual(await contents(alone));
        await publish(together, silentLogger, new AbortController().signal);
        await publish(alone, silentLogger, new AbortController().signal);
      }
    }),
    { numRuns: 20, seed: 20261127 },
  );
});
