import { expect, test } from 'vitest';
import { markDeadRuns } from '../../../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';

const run = (status: string, started_at: string) => ({
  run_id: 'r1',
  command: 'run',
  status,
  started_at,
  ended_at: null,
  summary: null,
});

test.for([
  ['began before the present holder took the lock', 'running', '2026-11-21T06:00:00.000Z', 'killed'],
  ['is that of the present holder', 'running', '2026-11-21T06:00:05.001Z', 'running'],
  ['has ended', 'done', '2026-11-21T06:00:00.000Z', 'done'],
] as const)(
  'a run that %s, recorded as %s, is killed only if its process is dead',
  ([_what, status, started, shown]) => {
    expect(markDeadRuns([run(status, started)], '2026-11-21T06:00:05.000Z')[0]?.status).toBe(shown);
  },
);

test('a running run keeps its status while the holder of the lock is unknown', () => {
  expect(markDeadRuns([run('running', '2026-11-21T06:00:00.000Z')], null)[0]?.status).toBe('running');
});
