import { expect, test } from 'vitest';
import type { Field } from '../../../../src/etl/project/model/field.ts';
import { ALL_ROUNDS, roundSeed } from '../../../support/random.ts';
import { sampleOf } from '../../../support/runs.ts';
import { type StagedValues, stageValues } from '../../../support/stage-values.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

const field = (name: string, type: string, arity: Field['arity'] = 'one'): Field => ({ name, type, arity });
const TYPES: readonly Field[] = [
  field('v', 'string'),
  field('v', 'natural'),
  field('v', 'float'),
  field('v', 'boolean'),
  field('v', 'date'),
  field('v', 'datetime'),
  field('v', 'string', 'many'),
  field('v', 'natural', 'many'),
];

const CELLS = [
  'x',
  '"x"',
  ' "x"',
  '  "x"',
  '"x" ',
  '\t"x"',
  '"x"\t',
  '"x" y',
  'a"b',
  'a "b"',
  'x"',
  ' ""',
  '""',
  '',

  '"a""b"',
  'a""b',
  '"""x"" y"',
  ' x ',
  '"a;b"',
  '"a\nb"',
  '"a; ""b"""',
  '12',
  '12.0',
  '1e3',
  ' 12',
  '"12"',
  '0x1',
  '+5',
  '1_000',
  'NaN',
  'inf',
  '-0',
  '9007199254740993',
  '99999999999999999999',
  '0.1',
  '1e400',

  'true',
  'True',
  'TRUE',
  '2026-01-31',
  '2026-02-31',
  '2026-1-1',
  '2026/01/31 10:00:00 UTC',
  '2026/01/31 10:00:00 CET',
  '[1,2]',
  '["a","b"]',
  '"[""a"", ""b""]"',
  '[]',
  'null',
  '\\N',
  "'x'",
  '\u00a0"x"',
];
const VALUES = [
  '"x"',
  '""',
  '" x"',
  '12',
  '12.0',
  '1e3',
  '1.5',
  '-0',
  '"12"',
  '"12.0"',
  '9007199254740993',
  '9007199254740993.0',

  '99999999999999999999',
  '1e400',
  'true',
  'false',
  '"true"',
  'null',
  '[]',
  '[1,2]',
  '["a",null]',
  '[1.5]',
  '[[1]]',

  '{"a":1.50}',
  '"2026-01-31"',
  '"2026-02-31"',
  '"2026/01/31 10:00:00 UTC"',
  '"2026/01/31 10:00:00 CET"',
  '"NaN"',
  '"\\ud83d\\ude00"',
  '"\\u0041"',
  '"[1,2]"',
  '0.1',
  '[9007199254740993]',
  '["x","x"]',
];

/** Usually one in six is played, by seed, and in `npm test` one of those; the nights play all. */
const played = (values: readonly string[]): string[] =>
  sampleOf(ALL_ROUNDS ? values : values.filter((_, at) => (at + roundSeed()) % 6 === 0));

/** What became of the first row, and why it is a reject if it is one. */
function outcome({ rows, rejects }: StagedValues, line: number): unknown {
  const why = [...(rejects.get(line) ?? [])].map(([name, { reason }]) => [name, reason]);
  return [rows.get(1)?.v ?? null, rows.has(1), why];
}

test.each(TYPES.map((one) => [`${one.type} ${one.arity}`, one] as const))(
  'each cell and value of %s is staged the same next to a broken row',
  async (_name, type) => {
    const connection = await temporaryConnection(await temporaryFolder());
    const fields = [field('id', 'natural'), field('n', 'natural'), type];
    const wrong: unknown[] = [];
    const compare = async (format: 'csv' | 'json', good: string, bad: string, value: string) => {
      const staged = async (content: string): Promise<unknown> => {
        const all = await stageValues(connection, format, content, fields).catch(String);
        return typeof all === 'string'
          ? all.replace(/\d+ rows.*/, '')
          : outcome(all, format === 'csv' ? 2 : 1);
      };
      const [alone, beside] = [await staged(good), await staged(good + bad)];
      if (JSON.stringify(alone) !== JSON.stringify(beside)) wrong.push({ format, value, alone, beside });
    };
    for (const cell of played(CELLS)) await compare('csv', `id;n;v\n1;1;${cell}\n`, '2;oops;x\n', cell);
    for (const value of played(VALUES))
      await compare('json', `{"id":1,"n":1,"v":${value}}\n`, '{"id":2,"n":"oops","v":null}\n', value);
    expect(wrong).toEqual([]);
  },
  ALL_ROUNDS ? 300_000 : 30_000,
);

const MILLION = JSON.stringify(Array.from({ length: 1_000_000 }, (_none, at) => at));
const LONG = JSON.stringify('x'.repeat(12_000_000));

test.each(
  sampleOf([
    ['a list of a million numbers', MILLION, '"y"', '1', 1],
    ['a text of 12 MB', '[1]', LONG, '1', 1],
    ['a text of 12 MB in a row that is a reject too', '[1]', LONG, '"oops"', 2],
  ]),
)('%s does not prevent a broken value from being a reject', async (_what, list, text, n, count) => {
  const connection = await temporaryConnection(await temporaryFolder());
  const fields = [
    field('id', 'natural'),
    field('n', 'natural'),
    field('list', 'natural', 'many'),
    field('text', 'string'),
  ];
  const rows = [
    `{"id":1,"n":${n},"list":${list},"text":${text}}`,
    '{"id":2,"n":"oops","list":[1],"text":"y"}',
  ];
  const { rejected, rejects } = await stageValues(connection, 'json', `${rows.join('\n')}\n`, fields);
  expect([rejected, [...(rejects.get(2)?.keys() ?? [])]]).toEqual([count, ['n']]);
});
