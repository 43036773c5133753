import { expect, test } from 'vitest';
import { type Held, settleUnits } from '../../src/ledger/settle-units.ts';
import { UNIT_MOVES } from '../../src/ledger/unit-states.ts';
import { UNIT_STATES, type UnitState } from '../../src/model/ledger-records.ts';

function settled(status: UnitState, held?: Held): UnitState {
  const moves = settleUnits([{ unit: 'u', status }], new Map(held ? [['u', held]] : []));
  return moves[0]?.to ?? status;
}

test.for([
  ['a unit whose rows are published', { published: true }, 'published'],
  ['a unit whose rows are in the working copy only', { published: false }, 'loaded'],
] as const)('%s stands there, wherever its run was killed', ([_what, held, to]) => {
  for (const state of ['discovered', 'requested', 'downloading', 'staged', 'loaded'] as const)
    expect([state, settled(state, held)]).toEqual([state, to]);
});

test('a unit that the warehouse lost is due again', () => {
  expect([settled('loaded'), settled('published')]).toEqual(['discovered', 'discovered']);
});

test('how a unit failed, and that it was dropped, is known to the ledger alone', () => {
  for (const state of ['failed', 'refused', 'skipped', 'dropped'] as const)
    for (const held of [undefined, { published: true }, { published: false }])
      expect([state, settled(state, held)]).toEqual([state, state]);
});

test('it makes no move that there is not', () => {
  for (const state of UNIT_STATES) {
    for (const held of [undefined, { published: true }, { published: false }]) {
      const to = settled(state, held);
      expect([state, to, to === state || UNIT_MOVES[state].includes(to)]).toEqual([state, to, true]);
    }
  }
});
