import { expect, test } from 'vitest';
import { jitterOf, planTick, type ScheduleState } from '../../../../src/app/operations/schedule/plan-tick.ts';
import { Schedule } from '../../../../src/etl/project/settings/schedules.ts';

const at = (text: string): number => Date.parse(text);
const schedule = (more: object = {}): Schedule =>
  Schedule.parse({ name: 'morning', cron: '0 6 * * *', time_zone: 'UTC', ...more });
const cursor = (done_until: string, one = schedule()): ScheduleState => ({
  [one.name]: { cron: one.cron, time_zone: one.time_zone, done_until },
});
const tick = (one: Schedule, state: ScheduleState, now: string, running: string[] = []) =>
  planTick([one], state, at(now), { running: new Set(running), seed: 'seed' });

test('a firing starts in its minute, once', () => {
  const state = cursor('2026-01-01T06:00:00Z');
  expect(tick(schedule(), state, '2026-01-02T05:59:59.999Z').starts).toEqual([]);
  const due = tick(schedule(), state, '2026-01-02T06:00:00Z');
  expect(due.starts).toMatchObject([
    { name: 'morning', at: at('2026-01-02T06:00:00Z'), late: false, missed: 0 },
  ]);
  expect(tick(schedule(), due.state, '2026-01-02T06:00:10Z').starts).toEqual([]);
});

test('a new schedule counts from the start of the minute', () => {
  expect(tick(schedule(), {}, '2026-01-02T06:00:40Z').starts).toMatchObject([{ late: false, missed: 0 }]);
  const after = tick(schedule(), {}, '2026-01-02T06:01:00Z');
  expect(after.starts).toEqual([]);
  expect(tick(schedule(), after.state, '2026-01-03T06:00:00Z').starts).toHaveLength(1);
});

test('a schedule with a changed time does not run earlier firings', () => {
  const other = schedule({ cron: '0 8 * * *' });
  expect(tick(other, cursor('2026-01-02T06:00:00Z'), '2026-01-02T12:00:00Z').starts).toEqual([]);
});

test('missed firings cause one run with run_once, and none with skip', () => {
  const state = cursor('2026-01-01T06:00:00Z');
  const once = tick(schedule(), state, '2026-01-05T12:00:00Z');
  expect(once.starts).toMatchObject([{ at: at('2026-01-05T06:00:00Z'), late: true, missed: 4 }]);
  const none = tick(schedule({ on_missed: 'skip' }), state, '2026-01-05T12:00:00Z');
  expect([none.starts, none.dropped]).toEqual([
    [],
    [{ name: 'morning', at: at('2026-01-05T06:00:00Z'), firings: 4, why: 'late' }],
  ]);
  expect(none.state).toEqual(cursor('2026-01-05T06:00:00.000Z'));
});

test('a firing on time also runs with skip, whatever was missed before', () => {
  const { starts } = tick(
    schedule({ on_missed: 'skip' }),
    cursor('2026-01-01T06:00:00Z'),
    '2026-01-03T06:00:20Z',
  );
  expect(starts).toMatchObject([{ late: false, missed: 1 }]);
});

test('a firing during the previous run is dropped with skip, and kept with queue', () => {
  const state = cursor('2026-01-01T06:00:00Z');
  const skip = tick(schedule(), state, '2026-01-02T06:00:00Z', ['morning']);
  expect([skip.starts, skip.dropped]).toMatchObject([[], [{ firings: 1, why: 'overlap' }]]);
  const queue = tick(schedule({ overlap: 'queue' }), state, '2026-01-02T06:00:00Z', ['morning']);
  expect(queue.starts).toHaveLength(1);
  expect(tick(schedule(), state, '2026-01-02T06:00:00Z', ['evening']).starts).toHaveLength(1);
});

test('a clock set back slightly fires nothing twice; one set back far does not silence schedules', () => {
  const state = cursor('2026-01-02T06:00:00Z');
  expect(tick(schedule(), state, '2026-01-02T05:59:58Z').starts).toEqual([]);
  const wrong = tick(schedule(), cursor('2030-01-01T06:00:00Z'), '2026-01-02T05:00:00Z');
  expect(tick(schedule(), wrong.state, '2026-01-02T06:00:00Z').starts).toHaveLength(1);
});

test('jitter delays a start by a constant share that differs between installations', () => {
  const one = schedule({ jitter: 600 });
  const delay = jitterOf(one, 'seed');
  expect(delay).toBeGreaterThan(0);
  expect(delay).toBeLessThan(600_000);
  expect(jitterOf(one, 'elsewhere')).not.toBe(delay);
  const due = at('2026-01-02T06:00:00Z') + delay;
  const state = cursor('2026-01-01T06:00:00Z', one);
  const starts = (now: number) => planTick([one], state, now, { running: new Set(), seed: 'seed' }).starts;
  expect([starts(due - 1), starts(due)]).toMatchObject([[], [{ late: false }]]);
});
