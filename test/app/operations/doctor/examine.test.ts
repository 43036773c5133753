import { expect, test } from 'vitest';
import { killed, lastGood } from '../../../../src/app/operations/doctor/examine.ts';
import type { LedgerRun } from '../../../../src/etl/project/model/runs/ledger-records.ts';

const run = (status: string, started_at: string, ended_at: string | null = null) =>
  ({ status, started_at, ended_at }) as LedgerRun;
const DONE = run('done', '2026-03-01T06:00:00Z', '2026-03-01T06:10:00Z');
const NOW = Date.parse('2026-03-01T12:00:00Z');
const DAY = 86_400_000;
const daily = { name: 'daily', cron: '0 6 * * *', time_zone: 'UTC' };

test('the last good run is reported, and the runs since', () => {
  expect(lastGood([], [], NOW)).toEqual({ message: 'none has ended yet' });
  expect(lastGood([run('running', '2026-03-01T06:00:00Z')], [], NOW).message).toBe('none has ended yet');
  const failed = run('failed', '2026-03-02T06:00:00Z');
  expect(lastGood([failed, failed], [], NOW)).toMatchObject({
    message: 'none of the last 2 runs is done: the last run is failed',
    hint: expect.any(String),
  });
  expect(lastGood([failed, DONE], [], NOW)).toMatchObject({
    message: 'last good run 2026-03-01 06:10 UTC, 1 not done since',
    hint: expect.any(String),
  });
  expect(lastGood([run('running', '2026-03-02T06:00:00Z'), DONE], [], NOW)).toEqual({
    message: 'last good run 2026-03-01 06:10 UTC',
  });
  expect(lastGood([run('done', '2026-03-01T06:00:00Z')], [], NOW).message).toBe(
    'last good run 2026-03-01 06:00 UTC',
  );
});

test('a schedule is late a day after its firing, unless it is paused', () => {
  const at = (now: number, more: object = {}) => lastGood([DONE], [{ ...daily, ...more }], now).message;
  expect(at(Date.parse('2026-03-03T06:00:00Z'))).toBe('last good run 2026-03-01 06:10 UTC');
  expect(at(Date.parse('2026-03-03T06:00:01Z'))).toBe(
    'last good run 2026-03-01 06:10 UTC, but the schedule daily was due since then',
  );
  expect(at(NOW + 9 * DAY, { paused: true })).toBe('last good run 2026-03-01 06:10 UTC');
});

test('only the last run counts as killed', () => {
  const cut = run('killed', '2026-03-02T06:00:00Z');
  expect(killed([])).toEqual({ message: 'no run was cut off' });
  expect(killed([DONE, cut])).toEqual({ message: 'no run was cut off' });
  expect(killed([cut, DONE])).toMatchObject({
    message: 'the run of 2026-03-02 06:00 UTC was cut off: its process is gone',
    hint: expect.any(String),
  });
});
