import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Connection, ident } from '../../../../src/core/duckdb/duckdb.ts';
import { parseJson } from '../../../../src/core/text/json.ts';
import { loadPackage } from '../../../../src/etl/pipeline/load/load-package.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import type { ColumnContract } from '../../../../src/etl/pipeline/load/refuse-drift.ts';
import type { Counts } from '../../../../src/etl/project/model/runs/six-counts.ts';
import type { ReadField } from '../../../../src/etl/project/sql/models/model.ts';
import { unitFingerprints } from '../../../../src/etl/state/catalog/fingerprint.ts';
import { forgetFields } from '../../../../src/etl/state/catalog/ops/ops-unit-fields.ts';
import { CATALOG, RAW_META_COLUMNS } from '../../../../src/etl/state/catalog/schema.ts';
import { runs } from '../../../support/runs.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking } from '../../engines/open-working.ts';
import { fields, makePackage, type PackageSpec } from './make-package.ts';
import '../../../support/process-timeout.ts';

const signal = new AbortController().signal;

interface Rules {
  readonly columns?: Readonly<Record<string, ColumnContract>>;
  readonly reads?: Readonly<Record<string, string>>;
}

async function warehouse(): Promise<{
  readonly connection: Connection;
  load(spec: PackageSpec, rules?: Rules): Promise<Counts>;
}> {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  return {
    connection: working.connection,
    async load(spec, { columns = {}, reads = {} } = {}) {
      const staged = await readPackage(await makePackage(staging, folder, spec));
      const fieldsRead = new Map<string, ReadField>(
        Object.entries(reads).map(([field, type]) => [field, { type, file: 'sql/pages.sql' }]),
      );
      const columnContracts = new Map(Object.entries(columns));
      const options = { runId: 'r', schemaChange: 'variant', columnContracts, fieldsRead, signal } as const;
      return loadPackage(working, staged, options);
    },
  };
}

const one = (id: string, field: string, ...values: unknown[]): PackageSpec => ({
  id,
  fields: fields('url', field),
  rows: values.map((value, at) => ({ url: `u${at}`, [field.split(' ')[0] ?? '']: value })),
});

async function columnsOf(connection: Connection): Promise<Record<string, string>> {
  const rows = await connection.rows<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM duckdb_columns()
     WHERE database_name = 'warehouse' AND table_name = 'crawl_pages'`,
  );
  const theirs = rows.filter(({ name }) => !Object.hasOwn(RAW_META_COLUMNS, name));
  return Object.fromEntries(theirs.map(({ name, type }) => [name, type]));
}

test('a field that no model reads keeps values of another type in a counted variant column', async () => {
  const { connection, load } = await warehouse();
  await load(one('c1', 'rank natural', 1, 2));
  await load(one('c2', 'rank string', 'high', null, 'low'));
  await load(one('c3', 'rank natural many', [1, 2]));
  await load(one('c4', 'rank natural', 4));
  await load(one('c5', 'rank string', 'mid'));
  expect(await columnsOf(connection)).toEqual({
    url: 'VARCHAR',
    rank: 'BIGINT',
    rank__v_text: 'VARCHAR',
    rank__v_bigint_list: 'BIGINT[]',
  });
  expect(
    await connection.jsonRows(
      'SELECT rank, rank__v_text AS text, rank__v_bigint_list AS list FROM raw.crawl_pages ORDER BY _crawl_id, url',
    ),
  ).toEqual([
    { rank: '1', text: null, list: null },
    { rank: '2', text: null, list: null },
    { rank: null, text: 'high', list: null },
    { rank: null, text: null, list: null },
    { rank: null, text: 'low', list: null },
    { rank: null, text: null, list: ['1', '2'] },
    { rank: '4', text: null, list: null },
    { rank: null, text: 'mid', list: null },
  ]);
  expect(
    await connection.jsonRows(
      `SELECT unit, field, before, after, value_count FROM ops.schema_changes WHERE change = 'variant' ORDER BY unit`,
    ),
  ).toEqual([
    { unit: 'crawl_pages/c2', field: 'rank', before: 'BIGINT', after: 'VARCHAR', value_count: '2' },
    { unit: 'crawl_pages/c3', field: 'rank', before: 'BIGINT', after: 'BIGINT[]', value_count: '1' },
    { unit: 'crawl_pages/c5', field: 'rank', before: 'BIGINT', after: 'VARCHAR', value_count: '1' },
  ]);
  const comment = await connection.scalar(
    "SELECT comment FROM duckdb_columns() WHERE column_name = 'rank__v_text'",
  );
  expect(comment).toContain('Values of another type than that of rank.');
});

test('a single value becomes a list only on request, or if a model reads a list', async () => {
  const { connection, load } = await warehouse();
  await load(one('c1', 'tags', 'a'));
  await load(one('c2', 'tags string many', ['b', 'c']));
  expect(await columnsOf(connection)).toMatchObject({ tags: 'VARCHAR', tags__v_text_list: 'VARCHAR[]' });
  await load(one('c1', 'list string many', ['a']));
  await load(one('c2', 'list', 'b'));
  expect(await columnsOf(connection)).toMatchObject({ list: 'VARCHAR[]', list__v_text: 'VARCHAR' });
  await load(one('c3', 'tags string many', ['d']), { columns: { tags: { retype: 'allow' } } });
  expect(await columnsOf(connection)).toMatchObject({ tags: 'VARCHAR[]' });
  const read = await warehouse();
  await read.load(one('c1', 'tags', 'a'));
  await read.load(one('c2', 'tags string many', ['b', 'c']), { reads: { tags: 'VARCHAR[]' } });
  expect(await columnsOf(read.connection)).toEqual({ url: 'VARCHAR', tags: 'VARCHAR[]' });
});

test('fields read by models, fields that evolve or are frozen, and list records have no variant', async () => {
  const cases: [PackageSpec, PackageSpec, Rules][] = [
    [one('c1', 'rank natural', 1), one('c2', 'rank float', 1.5), { reads: { rank: 'BIGINT' } }],
    [one('c1', 'rank natural', 1), one('c2', 'rank', 'x'), { columns: { rank: { schemaChange: 'evolve' } } }],
    [one('c1', 'rank natural', 1), one('c2', 'rank', 'x'), { columns: { rank: { schemaChange: 'freeze' } } }],
    [
      { ...one('w', 'id', 'a'), unit: { source: { kind: 'resource', id: 'w', project_id: null } } },
      { ...one('w', 'id natural', 1), unit: { source: { kind: 'resource', id: 'w', project_id: null } } },
      {},
    ],
  ];
  for (const [first, second, rules] of cases) {
    const { connection, load } = await warehouse();
    await load(first, rules);
    const before = await columnsOf(connection);
    await expect(load(second, rules)).rejects.toMatchObject({ code: 'contract_drift' });
    expect(await columnsOf(connection)).toEqual(before);
  }
});

test('variant columns and fields with the same name never share a column', async () => {
  const { connection, load } = await warehouse();
  await load(one('c1', 'f natural', 1));
  await load(one('c2', 'f', 'of f'));
  await load(one('c3', 'f__v_text', 'a field'));
  await load(one('c4', 'g__v_text', 'a field'));
  await load(one('c5', 'g natural', 1));
  await load(one('c6', 'g', 'of g'));
  const columns = await columnsOf(connection);
  expect(Object.keys(columns).toSorted()).toEqual([
    'f',
    'f__v_text',
    expect.stringMatching(/^f__v_text~[0-9a-f]{6}$/),
    'g',
    'g__v_text',
    expect.stringMatching(/^g__v_text~[0-9a-f]{6}$/),
    'url',
  ]);
  expect(
    await connection.column('SELECT f__v_text FROM raw.crawl_pages WHERE f__v_text IS NOT NULL'),
  ).toEqual(['of f']);
  expect(
    await connection.column('SELECT g__v_text FROM raw.crawl_pages WHERE g__v_text IS NOT NULL'),
  ).toEqual(['a field']);
});

/** Types with values that come as them, each as it is sent and as DuckDB prints it as JSON. */
const SAMPLES: Readonly<Record<string, readonly (readonly [sent: unknown, loaded: unknown])[]>> = {
  natural: [
    [0, 0],
    [7, 7],
    [2n ** 64n, 2n ** 64n],
  ].map(([a, b]) => [a, b] as const),
  float: [[1.5, 1.5]],
  string: [
    ['x', 'x'],
    ['7', '7'],
    ['', ''],
  ].map(([a, b]) => [a, b] as const),
  bool: [[true, true]],
  date: [['2026-03-01', '2026-03-01']],
  datetime: [['2026/03/01 10:00:00 UTC', '2026-03-01 10:00:00+00']],
  object: [[{ a: [1] }, { a: [1] }]],
};
const sample = fc
  .record({ type: fc.constantFrom(...Object.keys(SAMPLES)), isList: fc.boolean() })
  .chain(({ type, isList }) => {
    const value = fc.constantFrom(...(SAMPLES[type] ?? []));
    const many = fc
      .array(value, { maxLength: 2 })
      .map((some) => [some.map(([s]) => s), some.map(([, l]) => l)] as const);
    return fc.record({
      type: fc.constant(`${type}${isList ? ' many' : ''}`),
      values: fc.array(fc.option(isList ? many : value), { minLength: 1, maxLength: 3 }),
    });
  });

const NAMES = ['f', 'F', 'f__v_text', 'f__v_bigint_list', '_f'];
const crawl = fc.record({
  id: fc.constantFrom('c1', 'c2', 'c3', 'c4'),
  fields: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), sample), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 4,
  }),
  /** Another process goes on. */
  reopened: fc.boolean(),
});

test('over any history of types, each crawl keeps the values of the service, in columns that keep their type', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(crawl, { minLength: 2, maxLength: 7 }), async (history) => {
      const { connection, load } = await warehouse();
      const sent = new Map<string, (typeof history)[number]>();
      let types: Record<string, string> = {};
      for (const [at, one] of history.entries()) {
        if (one.reopened) forgetFields(connection);
        sent.set(one.id, one);
        const length = Math.max(...one.fields.map(([, { values }]) => values.length));
        const rows = Array.from({ length }, (_, n) => ({
          n,
          ...Object.fromEntries(one.fields.map(([name, { values }]) => [name, values[n]?.[0] ?? null])),
        }));
        const counts = await load({
          id: one.id,
          fields: fields('n natural', ...one.fields.map(([name, { type }]) => `${name} ${type}`)),
          rows,
          manifest: { run_id: `run ${at}` },
        });
        expect(counts).toMatchObject({ received: length, staged: length, rejected: 0, loaded: length });
        const now = await columnsOf(connection);
        for (const [name, type] of Object.entries(types))
          expect(now[name]?.replace('DECIMAL(38,0)', 'BIGINT')).toBe(type.replace('DECIMAL(38,0)', 'BIGINT'));
        types = now;
      }
      for (const { id, fields: own } of sent.values()) {
        const unit = `crawl_pages/${id}`;
        const columns = await connection.rows<{ field: string; column: string }>(
          'SELECT field, column_name AS "column" FROM ops.unit_fields WHERE unit = ?',
          [unit],
        );
        for (const [name, { values }] of own) {
          const column = columns.find(({ field }) => field === name)?.column ?? '';
          const found = await connection.column<string>(
            `SELECT CAST(to_json(${ident(column)}) AS VARCHAR) FROM raw.crawl_pages WHERE _unit = ? ORDER BY n`,
            [unit],
          );
          const loaded = (at: number) => values[at]?.[1] ?? null;
          expect(found.map((text) => (text === null ? null : parseJson(text)))).toEqual(
            found.map((_, at) => loaded(at)),
          );
          // No other column of the unit's rows has a value of it.
          const others = Object.keys(types).filter(
            (other) => other !== 'n' && !columns.some((mine) => mine.column === other),
          );
          for (const other of others)
            expect(
              await connection.scalar(`SELECT count(${ident(other)}) FROM raw.crawl_pages WHERE _unit = ?`, [
                unit,
              ]),
            ).toBe(0n);
        }
        const { fingerprint } = (
          await connection.rows<{ fingerprint: string | null }>(
            'SELECT fingerprint FROM ops.loads WHERE unit = ?',
            [unit],
          )
        )[0] ?? { fingerprint: null };
        const again = await unitFingerprints(connection, CATALOG, { dataset: 'crawl_pages', units: [unit] });
        if (fingerprint !== null) expect(again.get(unit)).toBe(fingerprint);
      }
    }),
    { numRuns: runs(10) },
  );
});
