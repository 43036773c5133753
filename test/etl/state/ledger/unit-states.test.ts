import { expect, test } from 'vitest';
import { UNIT_STATES } from '../../../../src/etl/project/model/runs/ledger-records.ts';
import { checkMove, UNIT_MOVES } from '../../../../src/etl/state/ledger/ledger.ts';

test('every state can be reached from a unit that is new, and left again', () => {
  const reached = new Set<string>(['unknown']);
  for (const from of reached) for (const to of UNIT_MOVES[from as 'unknown']) reached.add(to);
  expect([...reached].sort()).toEqual(['unknown', ...UNIT_STATES].sort());
  for (const state of UNIT_STATES) expect([state, UNIT_MOVES[state].length > 0]).toEqual([state, true]);
});

test('a unit is not published before it was loaded or found in the warehouse unchanged', () => {
  const before = UNIT_STATES.filter((state) => UNIT_MOVES[state].includes('published'));
  const attempted = ['discovered', 'requested', 'downloading', 'staged', 'loaded'];
  expect(before).toEqual([...attempted, 'failed', 'refused', 'skipped']);
});

test('what was dropped comes back by way of its discovery only, and may be dropped again', () => {
  expect(UNIT_MOVES.dropped).toEqual(['discovered', 'dropped']);
});

test.for([
  ['published', 'downloading'],
  ['failed', 'downloading'],
  ['dropped', 'requested'],
  ['unknown', 'requested'],
] as const)('a move from %s to %s is a fault of ours', ([from, to]) => {
  expect(() => checkMove('crawl_pages/c1', from, to)).toThrowError(
    expect.objectContaining({ code: 'internal', message: `crawl_pages/c1 cannot go from ${from} to ${to}` }),
  );
});
