import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ident } from '../../../src/core/duckdb/duckdb.ts';
import { plainSpaces } from '../../../src/core/duckdb/sql-spaces.ts';
import {
  isCode,
  nameOf,
  type SqlToken,
  sqlTokens,
  textOf,
  withoutEnd,
} from '../../../src/core/duckdb/sql-tokens.ts';
import { runs } from '../../support/runs.ts';

const RUNS = 3000;

let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
});
afterAll(() => instance.closeSync());

const signs = `' " $ $$ ; ; -- /* */ \\ ( ) [ ] { } , . .. : :: -> + - * / % < = ! & | ~ ^ @ # ? \``.split(
  ' ',
);
const begun = `e' E' x' X' b' n' N' u&' U&' U&" $1 $a$ $A$ $_a$ $a_$ $a1$ $é$ $é1$ $😀$ a$ a$a$`.split(' ');
const words = 'a ab é 😀 _ 1 0 1_0 1__0 .5 1. 1e 1e5 1e+5 0x 0xff 0b1 0o7 as select from t null'.split(' ');
const spaces = [
  ...' \t\n\r\v\f\0\u0085\u00a0\u1680\u2000\u2003\u200b\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff',
];
const wholes = [
  "'x'",
  "'it''s'",
  "''",
  '"n"',
  '"a""b"',
  `E'\\''`,
  `e'\\\\'`,
  "E'a'\n'\\''",
  "'a' -- x\n 'b'",
  "'a'\n'b'",

  "x'00'",
  "x'00''b'",
  "b'01'",
  "U&'\\0041'",
  "$$ ' $$",
  "$a$ $b$ ' $a$",
  '$é$ ; $é$',
  '$a$$a$',
  '$a$x$a$$b$y$b$',

  '/* c */',
  '/* /* */ */',
  '/*/ */*/',
  '-- c\n',
  "-- '\r",
  "-- ' \u2028",
  ' AS a',
  ', ',
  '; SELECT 1',
  ' AS "',
];
const sql = fc
  .array(
    fc.oneof(
      ...[signs, begun, words, spaces.filter((one) => one !== '\0'), wholes].map((of) =>
        fc.constantFrom(...of),
      ),
    ),
    { minLength: 1, maxLength: 14 },
  )
  .map((pieces) => `SELECT ${pieces.join('')}`);

/** What DuckDB's parser makes of SQL: the trees without places, or that it is wrong. */
async function parsed(text: string): Promise<unknown> {
  const connection = await instance.connect();
  const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [text]);
  connection.closeSync();
  const json = String(result.getRows()[0]?.[0]).replaceAll(/-?Infinity\b/g, '0');
  const { error_type, statements } = JSON.parse(json, (key, value: unknown) => {
    // The type of a number depends on what follows it: `1e` is read as the beginning of another one.
    const isType = key === 'type' && typeof value === 'object';
    return key === 'query_location' || isType ? undefined : value;
  }) as { readonly error_type?: string; readonly statements?: readonly unknown[] };
  return error_type ?? statements;
}

/** A token with nothing left of what hides in it, and nothing that another reading would change. */
function bare({ kind, text }: SqlToken): string {
  if (kind === 'comment') return text.startsWith('--') ? '--' : '/**/';
  if (kind === 'word' && /[^\0-\x7f]/.test(text)) return ` ${ident(text)} `;
  return text;
}

test('tokens joined with spaces mean the same to DuckDB as hostile SQL', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(sql, async (text) => {
      const tokens = sqlTokens(text);
      expect(textOf(tokens)).toBe(plainSpaces(text));
      expect(plainSpaces(plainSpaces(text))).toBe(plainSpaces(text));
      const trees = await parsed(text);
      expect(await parsed(tokens.map(bare).join(''))).toEqual(trees);
      if (!Array.isArray(trees)) return;
      const statements = textOf(
        tokens.filter(isCode).filter(({ kind }) => kind === 'sign' || kind === 'word'),
      )
        .split(';')
        .filter((one) => one !== '');
      expect(trees).toHaveLength(statements.length);
    }),
    { numRuns: runs(RUNS) },
  );
});

test('any text is one token in each literal form, and DuckDB reads its value', async () => {
  const connection = await instance.connect();
  const character = fc.constantFrom(
    ...signs,
    ...begun,
    ...spaces.filter((one) => one !== '\0'),
    'a',
    'é',
    '😀',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(character, { maxLength: 12 }), async (characters) => {
      const value = characters.join('');
      const forms: [SqlToken['kind'], string][] = [
        ['text', `'${value.replaceAll("'", "''")}'`],
        ['foreign', `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`],
        ['name', `"${value.replaceAll('"', '""')}"`],
        ...(value.includes('$') ? [] : [['foreign', `$é$${value}$é$`] as [SqlToken['kind'], string]]),
      ];
      for (const [kind, written] of forms) {
        // Before it reads them, DuckDB's parser takes the quotes of these for others.
        if (plainSpaces(`SELECT ${written} AS a`) !== `SELECT ${written} AS a`) continue;
        const tokens = sqlTokens(`SELECT ${written} AS a`);
        expect(tokens.map((token) => token.kind)).toEqual([
          'word',
          'space',
          kind,
          'space',
          'word',
          'space',
          'word',
        ]);
        expect(tokens[2]).toEqual({ kind, text: written, offset: 7 });
        if (kind === 'name') expect(nameOf(tokens[2])).toBe(value);
        else
          expect((await connection.runAndReadAll(`SELECT ${written} = $1`, [value])).getRows()).toEqual([
            [true],
          ]);
      }
    }),
    { numRuns: runs(500) },
  );
  connection.closeSync();
});

test('positions match the parser in bytes, also after Unicode spaces', async () => {
  const text = "\u00a0SELECT 'é\u00a0', \u3000 /* 😀 */ a FROM t";
  const connection = await instance.connect();
  const [row] = (await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [text])).getRows();
  const { offset } = sqlTokens(text).find((token) => token.text === 'a') ?? {};
  expect(String(row?.[0])).toContain(`"query_location":${offset},"column_names":["a"]`);
  connection.closeSync();
});

test.each([
  ["1e'\\''", ['number', 'foreign']],
  ["1_0.5e'", ['number', 'foreign']],
  ['$1e5', ['sign', 'word']],
  ['a$b$c$b$', ['word']],
  ["'a'/* */\n'b'", ['text', 'comment', 'space', 'text']],
  ["'a' -- b\n 'c'", ['foreign']],
  ["'a' 'b'", ['text', 'space', 'text']],
  ['"open', ['foreign']],
  ['/* /* */', ['foreign']],
  ['$a$ $A$', ['foreign']],
])('%s is %j', (text, kinds) => {
  expect(sqlTokens(text).map(({ kind }) => kind)).toEqual(kinds);
});

test('ten million characters are tokenized', () => {
  const long = 'x'.repeat(10_000_000);
  for (const text of [`'${long}'`, `E'${long}'`, `"${long}"`, `/*${long}*/`, long, ' '.repeat(10_000_000)])
    expect(sqlTokens(text)).toHaveLength(1);
});

test.each([
  ['SELECT 1;', 'SELECT 1'],
  ['SELECT 1 ; ;\n', 'SELECT 1  \n'],
  ['SELECT 1; -- as far as that;', 'SELECT 1 -- as far as that;'],
  ['SELECT 1 /* ; */', 'SELECT 1 /* ; */'],
  ['SELECT 1 -- ;', 'SELECT 1 -- ;'],
  ["SELECT ';'", "SELECT ';'"],
  ['SELECT $a$;$a$;', 'SELECT $a$;$a$'],
  ['SELECT 1; SELECT 2;', 'SELECT 1; SELECT 2'],
  [';', ''],
])('%j ends before its last ;', (whole, expected) => {
  expect(withoutEnd(whole)).toBe(expected);
});

test('the last two bytes are never a space, as in the parser of DuckDB', () => {
  expect(plainSpaces('SELECT\u00a01 ')).toBe('SELECT 1 ');
  expect(plainSpaces('SELECT 1\u00a0')).toBe('SELECT 1\u00a0');
});
