import { expect, test } from 'vitest';
import { explain, type PlantedFault, type SeenIncident } from './explain.ts';

const FAULT: PlantedFault = { kind: 'service 503', from: 1000, to: 2000 };
const INCIDENT: SeenIncident = {
  source: 'alert',
  title: 'a',
  code: 'service_unavailable',
  from: 1500,
  to: 3000,
};

function faultOf(change: Partial<SeenIncident>): PlantedFault | undefined {
  return explain([{ ...INCIDENT, ...change }], [FAULT])[0]?.fault;
}

test('an incident is explained by a fault at its time that can cause it', () => {
  expect(faultOf({})).toBe(FAULT);
  expect(faultOf({ from: 2000 })).toBe(FAULT);
  expect(faultOf({ from: 2001 })).toBeUndefined();
  expect(faultOf({ from: 0, to: 999 })).toBeUndefined();
});

test('a fault of another kind explains nothing, and no fault explains an internal error', () => {
  for (const code of ['ledger_unavailable', 'killed', 'internal', 'unreconciled', 'status 500', 'toString'])
    expect([code, faultOf({ code })]).toEqual([code, undefined]);
});
