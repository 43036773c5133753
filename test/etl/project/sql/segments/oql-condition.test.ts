import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Oql, OqlLeaf, OqlOptions } from '../../../../../src/client/oql/oql.ts';
import { OqlError, parseOql } from '../../../../../src/client/oql/parse-oql.ts';
import { type Connection, ident } from '../../../../../src/core/duckdb/duckdb.ts';
import { rowsSql } from '../../../../../src/etl/pipeline/transform/tests/model-cases.ts';
import { oqlCondition } from '../../../../../src/etl/project/sql/segments/oql-condition.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import { runs } from '../../../../support/runs.ts';
import { sharedFolder, temporaryConnection } from '../../../../support/temporary.ts';

type Scalar = string | number | boolean | null;
type Row = Readonly<Record<string, Scalar | readonly Scalar[]>>;

const COLUMNS = new Map([
  ['title', 'VARCHAR'],
  ['a "column"', 'VARCHAR'],
  ['depth', 'BIGINT'],
  ['similarity', 'DOUBLE'],
  ['fetched', 'BOOLEAN'],
  ['day', 'DATE'],
  ['fetch_date', 'TIMESTAMP WITH TIME ZONE'],
  ['sources', 'VARCHAR[]'],
  ['prices', 'DOUBLE[]'],
]);
const folder = sharedFolder();

/** A second opinion on a tree, in plain code: docs/client.md, row by row. */
function holds(tree: Oql, row: Row): boolean {
  if ('and' in tree) return tree.and.every((one) => holds(one, row));
  if ('or' in tree) return tree.or.some((one) => holds(one, row));
  const [name, filter, value, options = {}] = tree.field;
  const given = row[name] ?? null;
  const values = (Array.isArray(given) ? given : [given]).filter((one: Scalar) => one !== null);
  if (filter === 'has_value') return values.length > 0;
  if (filter === 'has_no_value') return values.length === 0;
  if (filter === 'not_equals') return !values.some((one: Scalar) => fits(one, ['equals', value, options]));
  return values.some((one: Scalar) => fits(one, [filter, value, options]));
}

function fits(own: Scalar, [filter, wanted, { ci, regex }]: [string, OqlLeaf[2], OqlOptions]): boolean {
  if (Array.isArray(wanted)) return compared(own, wanted[0]) >= 0 && compared(own, wanted[1]) < 0;
  if (typeof own !== 'string' || isTime(own)) return compares(compared(own, wanted as Scalar), filter);
  const word = (text: unknown): string => (ci ? String(text).toLowerCase() : String(text));
  if (regex) {
    const ends = { startswith: ['^', ''], endswith: ['', '$'], equals: ['^', '$'] }[filter] ?? ['', ''];
    return new RegExp(`${ends[0]}(?:${wanted})${ends[1]}`, ci ? 'i' : '').test(own);
  }
  const [left, right] = [word(own), word(wanted)];
  if (filter === 'contains') return left.includes(right);
  if (filter === 'startswith') return left.startsWith(right);
  return filter === 'endswith' ? left.endsWith(right) : left === right;
}

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\d/.test(text);
const timeOf = (text: string): number =>
  Date.parse(
    text.replace(' UTC', '').replaceAll('/', '-').replace(' ', 'T').padEnd(19, 'T00:00:00').slice(0, 19) +
      'Z',
  );
function compared(own: Scalar, wanted: unknown): number {
  if (typeof own === 'string') return timeOf(own) - timeOf(String(wanted));
  if (typeof own === 'boolean') return String(own) === String(wanted) ? 0 : 1;
  return Number(own) - Number(wanted);
}
function compares(order: number, filter: string): boolean {
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[filter] ?? order === 0;
}

const WORDS = ['', 'a', 'A', 'ab', 'aB', 'b', '%', "it's", 'é', 'É', 'a.b', 'axb'] as const;
const PATTERNS = ['a', 'a.b', '[aA]b?', '^a', 'b$', 'a|é', "it's", '\\.', ''] as const;
const words = fc.constantFrom(...WORDS);
const patterns = fc.constantFrom(...PATTERNS);
const numbers = fc.constantFrom(-1, 0, 0.1, 1, 2.5, 3, 1e21, 9007199254740991);
const days = fc.constantFrom('2026-01-01', '2026-01-02', '2026-03-01');
const times = fc.constantFrom('2026-01-01 00:00:00', '2026-01-01 12:30:00', '2026-01-02 00:00:00');
const asked = fc.oneof(
  days,
  days.map((day) => day.replaceAll('-', '/')),
  times.map((time) => `${time.replaceAll('-', '/')} UTC`),
);
const ORDER = ['gt', 'gte', 'lt', 'lte', 'equals', 'not_equals'] as const;

const rowsOf = fc.array(
  fc.record({
    title: fc.option(words),
    'a "column"': fc.option(words),
    depth: fc.option(fc.constantFrom(-1, 0, 1, 3)),
    similarity: fc.option(fc.constantFrom(-1, 0.1, 2.5, 1e21)),
    fetched: fc.option(fc.boolean()),
    day: fc.option(days),
    fetch_date: fc.option(times),
    sources: fc.option(fc.array(fc.option(words), { maxLength: 3 })),
    prices: fc.option(fc.array(fc.option(fc.constantFrom(0.1, 1, 2.5)), { maxLength: 3 })),
  }),
  { minLength: 12, maxLength: 16 },
);

const options = fc.record({ ci: fc.boolean(), regex: fc.constant(false) }, { requiredKeys: [] });
const ofText = fc.constantFrom('title', 'a "column"', 'sources');
const ofNumber = fc.constantFrom('depth', 'similarity', 'prices');
const COMPARISONS = ['equals', 'contains', 'startswith', 'endswith'] as const;
const comparisons = fc.constantFrom(...COMPARISONS);
const leaves: fc.Arbitrary<OqlLeaf> = fc.oneof(
  fc.tuple(fc.constantFrom(...COLUMNS.keys()), fc.constantFrom('has_value', 'has_no_value'), fc.constant('')),
  { weight: 5, arbitrary: fc.tuple(ofText, comparisons, words, options) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      ofText,
      comparisons,
      patterns,
      fc.record({ ci: fc.boolean(), regex: fc.constant(true) }),
    ),
  },
  fc.tuple(ofText, fc.constant('not_equals'), words),
  fc.tuple(ofNumber, fc.constantFrom(...ORDER), numbers),
  fc.tuple(ofNumber, fc.constant('between'), fc.tuple(numbers, numbers)),
  fc.tuple(
    fc.constant('fetched'),
    fc.constantFrom('equals', 'not_equals'),
    fc.constantFrom(true, false, 'true', 'false'),
  ),
  fc.tuple(fc.constant('day'), fc.constantFrom(...ORDER), days),
  fc.tuple(fc.constant('fetch_date'), fc.constantFrom(...ORDER), asked),
  fc.tuple(fc.constant('fetch_date'), fc.constant('between'), fc.tuple(asked, asked)),
) as fc.Arbitrary<OqlLeaf>;
const compound = (tree: fc.Arbitrary<Oql>) =>
  fc.array(tree, { minLength: 1, maxLength: 3, depthIdentifier: 'oql' });
const trees = fc.letrec<{ tree: Oql }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'oql' },
    { weight: 6, arbitrary: leaves.map((field) => ({ field })) },
    { weight: 2, arbitrary: compound(tie('tree')).map((and) => ({ and })) },
    { weight: 2, arbitrary: compound(tie('tree')).map((or) => ({ or })) },
    fc.constantFrom({ and: [] }, { or: [] }),
  ),
})).tree;

test('a filter tree selects the rows that plain code selects, and its SQL is portable', async () => {
  const connection = await temporaryConnection(folder);
  await fc.assert(
    fc.asyncProperty(trees, rowsOf, async (tree, rows) => {
      const sql = oqlCondition(parseOql(tree), COLUMNS);
      expect(await answers(connection, sql, rows)).toEqual(rows.map((row) => holds(tree, row)));
      const select = `SELECT ${[...COLUMNS.keys()].map(ident).join(', ')} FROM mart.pages WHERE ${sql}`;
      expect(await findNonPortable(connection, select, { file: 'x', line: 1 })).toEqual([]);
    }),
    { numRuns: runs(250) },
  );
});

test.each(COMPARISONS)('%s compares each text, alone and in a list, with each other text', async (filter) => {
  const connection = await temporaryConnection(folder);
  const rows: Row[] = [
    ...WORDS.map((title) => ({ title })),
    ...WORDS.map((word, n) => ({ sources: [word, WORDS[(n + 5) % WORDS.length] ?? null, null] })),
    { title: null, sources: [] },
    { sources: [null] },
  ];
  const regular = PATTERNS.map((pattern) => [pattern, { regex: true }] as const);
  for (const [value, option] of [...WORDS.map((word) => [word, {}] as const), ...regular])
    for (const ci of [false, true])
      for (const name of ['title', 'sources']) {
        const tree = parseOql({ field: [name, filter, value, { ...option, ci }] });
        const found = await answers(connection, oqlCondition(tree, COLUMNS), rows);
        expect([tree, found]).toEqual([tree, rows.map((row) => holds(tree, row))]);
      }
});

/** What a CASE makes of the condition, which is how segments have it. */
async function answers(connection: Connection, sql: string, rows: readonly Row[]): Promise<boolean[]> {
  const table = rowsSql(
    { ...Object.fromEntries(COLUMNS), n: 'BIGINT', page_key: 'VARCHAR' },
    rows.map((row, n) => ({
      ...row,
      n,
      page_key: `c ${n}`,
      fetch_date: row.fetch_date && `${row.fetch_date}+00`,
    })),
  );
  await connection.run(`CREATE SCHEMA IF NOT EXISTS mart; CREATE OR REPLACE TABLE mart.pages AS ${table}`);
  const found = await connection.rows<{ holds: boolean }>(
    `SELECT CASE WHEN ${sql} THEN true ELSE false END AS holds FROM mart.pages ORDER BY n`,
  );
  return found.map((row) => row.holds);
}

test.each([
  [
    'a field that is not a column',
    ['statuscode', 'equals', 404],
    'oql.field[0]: mart.pages has no column statuscode',
  ],
  [
    'a text of a number',
    ['depth', 'contains', '1'],
    'oql.field[2]: contains on depth, which is BIGINT, is for texts',
  ],
  [
    'an order of texts',
    ['title', 'gt', 'a'],
    'oql.field[2]: gt on title, which is VARCHAR, is for numbers and times',
  ],
  ['a number as a text', ['depth', 'equals', '1'], 'accepts a number'],
  [
    'a text as a number',
    ['sources', 'equals', 1],
    'oql.field[2]: equals on sources, which is VARCHAR[], accepts a text',
  ],
  ['an invalid day', ['day', 'gte', '2026-02-30'], 'accepts a day, as in 2026-01-31'],
  ['a time of a day', ['day', 'gte', '2026/02/03 12:00:00 UTC'], 'accepts a day, as in 2026-01-31'],
  [
    'an invalid time',
    ['fetch_date', 'between', ['2026/01/01', '2026/01/01 25:00:00 UTC']],
    'accepts a time of UTC',
  ],
  [
    'a regular expression of a number',
    ['depth', 'equals', 1, { regex: true }],
    'does not accept a regular expression',
  ],
  [
    'a long regular expression',
    ['title', 'contains', 'a'.repeat(1001), { regex: true }],
    'of at most 1000 characters',
  ],
  [
    'a regular expression of another flavour',
    ['title', 'contains', 'a(?=b)', { regex: true }],
    'does not accept this regular expression: groups are (…) and (?:…)',
  ],
  [
    'a category where the case is ignored',
    ['sources', 'equals', '\\p{Lu}', { regex: true, ci: true }],
    'does not accept this regular expression: no \\p where the case is ignored',
  ],
  ['an invalid boolean', ['fetched', 'equals', 'yes'], 'accepts true or false'],
  ['a value of JSON', ['json', 'equals', 'x'], 'can only have a value or none'],
])('a value that does not fit its column is refused with its path: %s', (_, field, message) => {
  const columns = new Map([...COLUMNS, ['json', 'JSON']]);
  const work = () => oqlCondition(parseOql({ and: [{ field }] }), columns);
  expect(work).toThrow(OqlError);
  expect(work).toThrow(message.replace('oql.field', 'oql.and[0].field'));
});
