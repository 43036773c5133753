import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UNIT_MOVES } from '../../src/ledger/unit-states.ts';
import { UNIT_STATES } from '../../src/model/ledger-records.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/ledger.md'), 'utf8');

/** The rows of the table under a heading, each as its cells without back quotes. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split('|').map((cell) => cell.replaceAll(/[`()]/g, '').trim()))
    .filter((cells) => !/^(-+|from|state)$/.test(cells[0] ?? ''));
}

test('the page explains every state that there is, and no other', () => {
  const states = rowsUnder('Where a unit stands').map(([state]) => state);
  expect(states).toEqual([...UNIT_STATES]);
});

test('the page has every move that there is, and no other', () => {
  const moves = rowsUnder('The moves that there are').map(([from = '', to = '']) => [
    from,
    to.split(', ').sort(),
  ]);
  const known = Object.entries(UNIT_MOVES).map(([from, to]) => [from, [...to].sort()]);
  expect(moves).toEqual(known);
});
