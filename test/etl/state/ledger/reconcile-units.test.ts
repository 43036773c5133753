import { expect, test } from 'vitest';
import { UNIT_STATES, type UnitState } from '../../../../src/etl/project/model/runs/ledger-records.ts';
import { UNIT_MOVES } from '../../../../src/etl/state/ledger/ledger.ts';
import { reconcileUnits } from '../../../../src/etl/state/ledger/reconcile-units.ts';

const LOADED_AT = Date.parse('2026-03-01T12:00:00Z');
const BEFORE = '2026-03-01T11:59:59.999Z';
const AFTER = '2026-03-01T12:00:00.000Z';

function reconciled(status: UnitState, published?: boolean, updated_at: string = AFTER): UnitState {
  const loaded = published === undefined ? undefined : { published, loaded_at: LOADED_AT };
  const moves = reconcileUnits([{ unit: 'u', status, updated_at }], new Map(loaded ? [['u', loaded]] : []));
  return moves[0]?.to ?? status;
}

test.for([
  ['a unit whose rows are published', true, 'published'],
  ['a unit whose rows are in the working copy only', false, 'loaded'],
] as const)('%s is recorded, wherever its run was killed', ([_what, loaded, to]) => {
  for (const state of ['discovered', 'requested', 'downloading', 'staged', 'loaded'] as const)
    expect([state, reconciled(state, loaded)]).toEqual([state, to]);
});

test('a unit that the warehouse lost is due again', () => {
  expect([reconciled('loaded'), reconciled('published')]).toEqual(['discovered', 'discovered']);
});

test('failures and drops of a unit are known only to the ledger', () => {
  for (const state of ['failed', 'refused', 'skipped', 'dropped'] as const)
    for (const loaded of [undefined, true, false])
      expect([state, reconciled(state, loaded)]).toEqual([state, state]);
});

test('rows loaded after a failure count, even if a crash reset the ledger', () => {
  for (const state of ['failed', 'refused', 'skipped'] as const) {
    expect([state, reconciled(state, true, BEFORE)]).toEqual([state, 'published']);
    expect([state, reconciled(state, false, BEFORE)]).toEqual([state, 'loaded']);
    expect([state, reconciled(state, undefined, BEFORE)]).toEqual([state, state]);
  }
  expect(reconciled('dropped', true, BEFORE)).toBe('dropped');
});

test('reconciliation makes only allowed state changes', () => {
  for (const state of UNIT_STATES) {
    for (const loaded of [undefined, true, false]) {
      for (const at of [BEFORE, AFTER]) {
        const to = reconciled(state, loaded, at);
        expect([state, to, to === state || UNIT_MOVES[state].includes(to)]).toEqual([state, to, true]);
      }
    }
  }
});
