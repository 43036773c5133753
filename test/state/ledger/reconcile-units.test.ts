import { expect, test } from 'vitest';
import { UNIT_STATES, type UnitState } from '../../../src/project/model/ledger-records.ts';
import { type LoadState, reconcileUnits } from '../../../src/state/ledger/reconcile-units.ts';
import { UNIT_MOVES } from '../../../src/state/ledger/unit-states.ts';

function reconciled(status: UnitState, loaded?: LoadState): UnitState {
  const moves = reconcileUnits([{ unit: 'u', status }], new Map(loaded ? [['u', loaded]] : []));
  return moves[0]?.to ?? status;
}

test.for([
  ['a unit whose rows are published', { published: true }, 'published'],
  ['a unit whose rows are in the working copy only', { published: false }, 'loaded'],
] as const)('%s stands there, wherever its run was killed', ([_what, loaded, to]) => {
  for (const state of ['discovered', 'requested', 'downloading', 'staged', 'loaded'] as const)
    expect([state, reconciled(state, loaded)]).toEqual([state, to]);
});

test('a unit that the warehouse lost is due again', () => {
  expect([reconciled('loaded'), reconciled('published')]).toEqual(['discovered', 'discovered']);
});

test('how a unit failed, and that it was dropped, is known to the ledger alone', () => {
  for (const state of ['failed', 'refused', 'skipped', 'dropped'] as const)
    for (const loaded of [undefined, { published: true }, { published: false }])
      expect([state, reconciled(state, loaded)]).toEqual([state, state]);
});

test('it makes no move that there is not', () => {
  for (const state of UNIT_STATES) {
    for (const loaded of [undefined, { published: true }, { published: false }]) {
      const to = reconciled(state, loaded);
      expect([state, to, to === state || UNIT_MOVES[state].includes(to)]).toEqual([state, to, true]);
    }
  }
});
