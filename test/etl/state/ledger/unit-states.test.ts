import { expect, test } from 'vitest';
import { UNIT_STATES } from '../../../../src/etl/project/model/runs/ledger-records.ts';
import { checkMove, UNIT_MOVES } from '../../../../src/etl/state/ledger/ledger.ts';

test('every state is reachable from a new unit, and can be left', () => {
  const reached = new Set<string>(['unknown']);
  for (const from of reached) for (const to of UNIT_MOVES[from as 'unknown']) reached.add(to);
  expect([...reached].sort()).toEqual(['unknown', ...UNIT_STATES].sort());
  for (const state of UNIT_STATES) expect([state, UNIT_MOVES[state].length > 0]).toEqual([state, true]);
});

test('a unit is published only after it was loaded or found unchanged', () => {
  const before = UNIT_STATES.filter((state) => UNIT_MOVES[state].includes('published'));
  const attempted = ['discovered', 'requested', 'downloading', 'staged', 'loaded'];
  expect(before).toEqual([...attempted, 'failed', 'refused', 'skipped']);
});

test('a dropped unit returns only through its discovery, and can be dropped again', () => {
  expect(UNIT_MOVES.dropped).toEqual(['discovered', 'dropped']);
});

test.for([
  ['published', 'downloading'],
  ['failed', 'downloading'],
  ['dropped', 'requested'],
  ['unknown', 'requested'],
] as const)('a move from %s to %s is an internal error', ([from, to]) => {
  expect(() => checkMove('crawl_pages/c1', from, to)).toThrowError(
    expect.objectContaining({ code: 'internal', message: `crawl_pages/c1 cannot go from ${from} to ${to}` }),
  );
});
