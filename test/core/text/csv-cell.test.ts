import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { csvCell, spreadsheetCell } from '../../../src/core/text/csv-cell.ts';
import { seededRandom, testSeed } from '../../support/random.ts';

const TRIGGER = /^[\s\p{Cc}\p{Cf}"`‘’“”]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** The text of a cell, as docs/query.md says how to get it back. */
function undone(cell: string): string {
  if (!cell.startsWith("'")) return cell;
  const text = cell
    .slice(1)
    .replaceAll(/[\s\p{Cc}\p{Cf};"'`‘’“”]+(?=[=+\-@＝＋－＠])/gu, (run) =>
      run.replaceAll(/([;\r\n])'/g, '$1'),
    );
  return spreadsheetCell(text) === csvCell(cell) ? text : cell;
}

const read = (cell: string, delimiter: string): string[][] =>
  parse(`a,${cell},b\n`, { delimiter, relax_quotes: true, relax_column_count: true }) as string[][];

test.each([
  ['=1+1', "'=1+1"],
  [' =1', "' =1"],
  ['\t1', "'\t1"],
  ['\r1', '"\'\r1"'],
  ['"=1', `"'""=1"`],
  ["'=1", "''=1"],
  [';=1', "';'=1"],
  ['a; @b', "'a;' @b"],
  ['＝1', "'＝1"],
  ['；=1', '；=1'],
  ['\ufeff\u200b=1', "'\ufeff\u200b=1"],
  ['a-b=c', 'a-b=c'],
  ["it's", "it's"],
  ['https://a.example/?a=1;b=-2', 'https://a.example/?a=1;b=-2'],
])('the cell of %j is %j', (text, cell) => {
  expect(spreadsheetCell(text)).toBe(cell);
});

test('no cell starts a formula in any locale, and the escape is reversible', () => {
  const random = seededRandom(testSeed());
  const alphabet = [...'=+-@＝＋－＠\t\r\n;,"\'` ab1\u0000\u001b\u200b\ufeff“|'];
  const seen = new Map<string, string>();
  for (let round = 0; round < 5000; round++) {
    const length = Math.floor(random() * 8);
    const text = Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
    const cell = spreadsheetCell(text);
    const [[, plain = ''] = []] = read(cell, ',');
    expect(undone(plain), JSON.stringify(text)).toBe(text);
    expect(seen.get(cell) ?? text).toBe(text);
    seen.set(cell, text);
    expect(TRIGGER.test(plain), JSON.stringify([text, cell])).toBe(false);
    // As a program reads it that splits lines and semicolons first, whatever is quoted.
    for (const part of `a,${cell}`.split(/[;\r\n]/).slice(1))
      expect(/^[\s\p{Cc}\p{Cf}"`‘’“”]*[=+\-@＝＋－＠]/u.test(part), JSON.stringify([text, cell])).toBe(false);
  }
});

test('a long run of separators takes linear time', () => {
  expect(spreadsheetCell(`${';\n'.repeat(500_000)}x`).length).toBe(1_000_003);
  expect(spreadsheetCell(`${' '.repeat(1_000_000)}x`).length).toBe(1_000_001);
});
