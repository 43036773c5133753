import { expect, test } from 'vitest';
import { documentToChange, parseYaml, YamlFault } from '../../../src/core/text/parse-yaml.ts';

const fault = (text: string): YamlFault => {
  try {
    parseYaml(text);
  } catch (error) {
    if (error instanceof YamlFault) return error;
    throw error;
  }
  throw new Error('it was not refused');
};

const list = (count: number, item: string): string => `[${Array(count).fill(item).join(',')}]`;

test.each([
  [
    'aliases of aliases',
    `a: &a ${list(9, 'x')}\nb: &b ${list(9, '*a')}\nc: &c ${list(9, '*b')}\nd: ${list(90, '*c')}\n`,
    4,
  ],
  ['many aliases of little', `a: &a x\nb: ${list(101, '*a')}\n`, 2],
  ['few aliases of much', `a: &a ${list(6000, 'x')}\nb: [*a, *a]\n`, 2],
  ['a value within itself', 'a: &a\n- *a\n', 2],
  ['a value within what it holds', 'a: &a\n- &b [*a]\n- *b\n', 2],
  ['an alias of no anchor', 'a: *b\n', 1],
  ['a duplicate key', 'a: 1\na: 2\n', 2],
  ['brackets without an end', '['.repeat(2000), 1],
  ['a key that is no name in JavaScript', 'a:\n  "__proto__": 1\n', 2],
])('%s is refused with its line', (_what, text, line) => {
  expect(fault(text)).toMatchObject({ line });
});

test('hand-written aliases are resolved, and written out when a file changes', () => {
  const text = 'days:\n- &first {date: &d 2026-01-01}\n- *first\n- {date: *d} # the same\n';
  const day = { date: '2026-01-01' };
  expect(parseYaml(text).value).toEqual({ days: [day, day, day] });
  const document = documentToChange(text);
  document.deleteIn(['days', 0]);
  expect(document.toString()).toBe('days:\n  - { date: 2026-01-01 }\n  - { date: 2026-01-01 } # the same\n');
});

test('integers keep their digits on request', () => {
  const text = 'a: 9007199254740993\nb: 1\n';
  expect(parseYaml(text, { bigints: 'large' }).value).toEqual({ a: 9007199254740993n, b: 1 });
  expect(parseYaml(text, { bigints: 'all' }).value).toEqual({ a: 9007199254740993n, b: 1n });
});

test.each([
  [[], 2],
  [['a'], 2],
  [['a', 'b'], 3],
  [['a', 'b', 1], 5],
  [['a', 'b', 1, 'd'], 6],
  [['a', 'b', 1, 'e'], 5],
  [['a', 'b', 7], 3],
  [['a', 'b', 0, 'c'], 4],
  [[1], 7],
  [['x', 'b'], 2],
])('the line of %j, or of its nearest parent, is %i', (path, line) => {
  expect(parseYaml('# comment\na:\n  b:\n    - c\n    - {\n      d: 1}\n1: x\n').lineOf(path)).toBe(line);
});

test('a file that changes keeps the digits of large integers', () => {
  const text = 'a: 9007199254740993\nb: 1e+30\nc: 7\nd: -9007199254740993\n';
  expect(documentToChange(text).toString()).toBe(text);
});
