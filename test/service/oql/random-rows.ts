import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { onTestFinished } from 'vitest';
import type { Oql, OqlLeaf, OqlOptions } from '../../../src/client/oql/oql.ts';
import type { FieldRecord } from '../../../src/client/resources/fields.ts';
import type { StoredDataset } from '../../../src/service/resources/resources.ts';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { importRows } from '../../../src/service/sandbox/import/import-dataset.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { field } from '../support.ts';

/** A row: the JSON text of each field's value, so that no digit of it is lost; a field may be absent. */
export type RandomRow = Readonly<Record<string, string>>;

/** A field of every type and arity that filters tell apart; `id` is the row's place. */
export const FIELDS: readonly FieldRecord[] = [
  field('id', 'natural'),
  field('title', 'string'),
  field('Title', 'enum'),
  field('tags', 'string', 'many'),
  field('clusters', 'hash', 'many'),
  field('count', 'natural'),
  field('score', 'float'),
  field('mixed', 'integer'),
  field('sizes', 'natural', 'many'),
  field('ok', 'bool'),
  field('day', 'date'),
  field('seen', 'datetime'),
];

const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'AB',
  'b a',
  'été',
  'ÉTÉ',
  'ß',
  '日本',
  '🦊',
  '🦊a',
  '%',
  '_',
  '\\',
  '"',
  "'a",
  'true',
  '5',
];
const NUMBERS = [
  '0',
  '1',
  '2',
  '5',
  '-3',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
];
const HUGE = [...NUMBERS, '36893488147419103232', '36893488147419103233', '0.5', '2.0', '3.7', '1e3'];
const FRACTIONS = ['0.0', '0.5', '-0.25', '1.5', '2.0', '100.125'];
const DAYS = ['2024-12-31', '2025-01-01', '2025-01-02', '2025-02-28'];
const TIMES = [
  '2024/12/31 23:59:59 UTC',
  '2025/01/01 00:00:00 UTC',
  '2025/01/01 00:00:01 UTC',
  '2025/02/28 12:00:00 UTC',
];
const PATTERNS = [
  'a',
  '^a',
  'b$',
  'a|b',
  '[ab]+',
  '.',
  'é.',
  '(🦊)a?',
  '\\d+',
  '',
  'A.*',
  '^$',
  '^',
  '$$',
  'a|',
  '%',
];

const text = fc.constantFrom(...TEXTS).map((value) => JSON.stringify(value));
const oneOf = (values: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...values);
const quoted = (values: readonly string[]): fc.Arbitrary<string> =>
  oneOf(values).map((value) => JSON.stringify(value));
const orNull = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant('null') });
const list = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.array(value, { maxLength: 4 }).map((items) => `[${items.join(',')}]`) },
    { weight: 1, arbitrary: value },
  );

const row: fc.Arbitrary<RandomRow> = fc
  .record(
    {
      title: orNull(text),
      Title: orNull(text),
      tags: orNull(list(text)),
      clusters: orNull(list(orNull(text))),
      count: orNull(oneOf(NUMBERS)),
      score: orNull(oneOf(FRACTIONS)),
      mixed: orNull(oneOf(HUGE)),
      sizes: orNull(list(orNull(oneOf(HUGE)))),
      ok: orNull(fc.constantFrom('true', 'false')),
      day: orNull(quoted(DAYS)),
      seen: orNull(quoted(TIMES)),
    },
    { requiredKeys: [] },
  )
  .map((cells) => cells as RandomRow);

export const rows: fc.Arbitrary<readonly RandomRow[]> = fc
  .array(row, { minLength: 1, maxLength: 40 })
  .map((all) => all.map((one, index) => ({ id: String(index), ...one })));

/** A number as a request carries it: a JavaScript number where that holds it, else a bigint. */
const numberValue = oneOf([...HUGE, '2.5', '1e21']).map((value) =>
  /^-?\d+$/.test(value) && !Number.isSafeInteger(Number(value)) ? BigInt(value) : Number(value),
);
const options: fc.Arbitrary<OqlOptions> = fc.constantFrom(
  { ci: true },
  { ci: true, regex: false },
  { ci: false },
  {},
);
const patternOptions: fc.Arbitrary<OqlOptions> = fc.boolean().map((ci) => ({ ci, regex: true }));

const textLeaf = (name: string): fc.Arbitrary<OqlLeaf> => {
  const filter = fc.constantFrom('equals', 'contains', 'startswith', 'endswith');
  return fc.oneof(
    fc.tuple(fc.constant(name), filter, oneOf(TEXTS)),
    fc.tuple(fc.constant(name), filter, oneOf(TEXTS), options),
    fc.tuple(fc.constant(name), filter, oneOf(PATTERNS), patternOptions),
    fc.tuple(fc.constant(name), fc.constant('not_equals'), oneOf(TEXTS)),
  ) as fc.Arbitrary<OqlLeaf>;
};
const orderedLeaf = <T extends string | number | bigint>(
  name: string,
  value: fc.Arbitrary<T>,
): fc.Arbitrary<OqlLeaf> =>
  fc.oneof(
    fc.tuple(fc.constant(name), fc.constantFrom('equals', 'not_equals', 'gt', 'gte', 'lt', 'lte'), value),
    fc.tuple(fc.constant(name), fc.constant('between'), fc.tuple(value, value)),
  ) as fc.Arbitrary<OqlLeaf>;

export const leaf: fc.Arbitrary<OqlLeaf> = fc.oneof(
  ...['title', 'Title', 'tags', 'clusters'].map(textLeaf),
  ...['count', 'score', 'mixed', 'sizes'].map((name) => orderedLeaf(name, numberValue)),
  orderedLeaf('day', oneOf(DAYS)),
  orderedLeaf('seen', oneOf([...TIMES, '2025-01-01', '2025/01/01 00:00:01'])),
  fc.tuple(
    fc.constant('ok'),
    fc.constantFrom('equals', 'not_equals'),
    fc.constantFrom(true, false, 'true', 'false'),
  ) as fc.Arbitrary<OqlLeaf>,
  fc.tuple(
    fc.constantFrom(...FIELDS.map((one) => one.name)),
    fc.constantFrom('has_value', 'has_no_value'),
    fc.constant(''),
  ) as fc.Arbitrary<OqlLeaf>,
);

export const tree: fc.Arbitrary<Oql> = fc.letrec<{ node: Oql }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf.map((one): Oql => ({ field: one })),
    fc.array(tie('node'), { maxLength: 4 }).map((children): Oql => ({ and: children })),
    fc.array(tie('node'), { maxLength: 4 }).map((children): Oql => ({ or: children })),
  ),
})).node;

/** A row store of one test, and what puts rows into it as an import does. */
export async function randomStore(): Promise<{
  readonly store: ServiceRows;
  readonly put: (all: readonly RandomRow[]) => Promise<StoredDataset>;
}> {
  const folder = await temporaryFolder();
  const store = await ServiceRows.open(folder);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const file = join(folder, 'rows.jsonl');
  let tables = 0;
  const put = async (all: readonly RandomRow[]): Promise<StoredDataset> => {
    const lines = all.map((one) => {
      const cells = Object.entries(one).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
      return `{${cells.join(',')}}\n`;
    });
    writeFileSync(file, lines.join(''));
    const table = `random_${tables++}`;
    return {
      table,
      columns: await store.useForImport((connection) => importRows(connection, file, FIELDS, table)),
    };
  };
  return { store, put };
}
