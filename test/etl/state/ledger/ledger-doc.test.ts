import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UNIT_STATES } from '../../../../src/etl/project/model/runs/ledger-records.ts';
import { UNIT_MOVES } from '../../../../src/etl/state/ledger/ledger.ts';

const DOCS = join(import.meta.dirname, '../../../../docs');

/** The rows of the table under a heading of a page, each as its cells without back quotes. */
function rowsUnder(name: string, heading: string): string[][] {
  const page = readFileSync(join(DOCS, name), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split('|').map((cell) => cell.replaceAll(/[`()]/g, '').trim()))
    .filter((cells) => !/^(-+|from|state)$/.test(cells[0] ?? ''));
}

test('the page explains exactly the states of the ledger', () => {
  const states = rowsUnder('ledger.md', 'States of a unit').map(([state]) => state);
  expect(states).toEqual([...UNIT_STATES]);
});

test('the page lists exactly the allowed transitions', () => {
  const moves = rowsUnder('decisions/ledger.md', 'Transitions of a unit').flatMap(([from = '', to = '']) =>
    from.split(', ').map((state) => [state, to.split(', ').sort()] as const),
  );
  const known = Object.entries(UNIT_MOVES).map(([from, to]) => [from, [...to].sort()] as const);
  const byState = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
    one.localeCompare(other);
  expect(moves.sort(byState)).toEqual(known.sort(byState));
});
