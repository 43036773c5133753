import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UNIT_STATES } from '../../../src/project/model/runs/ledger-records.ts';
import { UNIT_MOVES } from '../../../src/state/ledger/ledger.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/ledger.md'), 'utf8');

/** The rows of the table under a heading, each as its cells without back quotes. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split('|').map((cell) => cell.replaceAll(/[`()]/g, '').trim()))
    .filter((cells) => !/^(-+|from|state)$/.test(cells[0] ?? ''));
}

test('the page explains exactly the states that the ledger has', () => {
  const states = rowsUnder('States of a unit').map(([state]) => state);
  expect(states).toEqual([...UNIT_STATES]);
});

test('the page has exactly the transitions that the ledger allows', () => {
  const moves = rowsUnder('Transitions').map(([from = '', to = '']) => [from, to.split(', ').sort()]);
  const known = Object.entries(UNIT_MOVES).map(([from, to]) => [from, [...to].sort()]);
  expect(moves).toEqual(known);
});
