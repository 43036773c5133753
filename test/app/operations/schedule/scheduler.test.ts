import { expect, test } from 'vitest';
import type { ScheduleState } from '../../../../src/app/operations/schedule/plan-tick.ts';
import { type Fired, Scheduler } from '../../../../src/app/operations/schedule/scheduler.ts';
import type { ErrorCode } from '../../../../src/core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { createLogger } from '../../../../src/core/logs/logger.ts';
import { Schedule } from '../../../../src/etl/project/settings/schedules.ts';

const DONE: Fired = { exitCode: 0, errors: [] };
const failed = (code: ErrorCode): Fired => {
  const error = new CrawlhouseError(code, code);
  return { exitCode: error.exitCode, errors: [error] };
};

/** A scheduler over a clock and runs that the test drives. */
function stage(options: { schedules: object[]; state?: ScheduleState }) {
  const held = {
    now: Date.parse('2026-01-02T06:00:00Z'),
    schedules: options.schedules as object[] | Error,
    state: options.state ?? {},
    fired: [] as string[],
    /** The kept state, at the start of each run. */
    keptAtStart: [] as ScheduleState[],
    ends: [] as ((fired: Fired) => void)[],
    log: [] as string[],
  };
  const scheduler = new Scheduler({
    load: async () => {
      if (held.schedules instanceof Error) throw held.schedules;
      return held.schedules.map((one) => Schedule.parse(one));
    },
    fire: ({ name }, signal) => {
      held.fired.push(name);
      held.keptAtStart.push(held.state);
      return new Promise((resolve) => {
        held.ends.push(resolve);
        signal.addEventListener('abort', () => resolve(failed('interrupted')));
      });
    },
    readState: async () => held.state,
    writeState: async (state) => {
      held.state = state;
    },
    now: () => held.now,
    seed: 'seed',
    logger: createLogger('info', (line) => held.log.push(line)),
  });
  const pass = async (seconds: number): Promise<void> => {
    held.now += seconds * 1000;
    await scheduler.tick();
  };
  const end = async (fired: Fired = DONE): Promise<void> => {
    held.ends.pop()?.(fired);
    await scheduler.idle();
  };
  return { held, scheduler, pass, end };
}

const MINUTELY = { name: 'each', cron: '* * * * *' };

test('one run at a time: another schedule waits', async () => {
  const { held, scheduler, pass, end } = stage({
    schedules: [MINUTELY, { name: 'also', cron: '0 6 * * *' }],
  });
  await pass(0);
  expect([held.fired, scheduler.running, scheduler.waiting]).toEqual([['each'], 'each', ['also']]);
  await end();
  await pass(1);
  expect([held.fired, scheduler.waiting]).toEqual([['each', 'also'], []]);
  await end();
});

test('the first run of a new schedule is saved as pending before it starts', async () => {
  const { held, pass } = stage({ schedules: [MINUTELY] });
  await pass(0);
  const { cron, time_zone } = Schedule.parse(MINUTELY);
  const done_until = '2026-01-02T05:59:59.999Z';
  expect(held.keptAtStart).toEqual([{ each: { cron, time_zone, done_until } }]);
});

test('a run longer than its interval is followed by one run with queue, by none with skip', async () => {
  for (const [overlap, more] of [
    ['queue', 1],
    ['skip', 0],
  ] as const) {
    const { held, pass, end, scheduler } = stage({ schedules: [{ ...MINUTELY, overlap }] });
    await pass(0);
    await pass(60);
    await pass(60);
    expect(scheduler.waiting).toHaveLength(more);
    await end();
    await pass(1);
    expect(held.fired).toHaveLength(1 + more);
    if (more) await end();
  }
});

test('a retriable failure is retried after its wait, as often as the schedule allows', async () => {
  const { held, pass, end } = stage({
    schedules: [{ name: 'day', cron: '0 6 * * *', retries: { number: 1, wait: 2 } }],
  });
  await pass(0);
  await end(failed('connection'));
  await pass(119);
  expect(held.fired).toHaveLength(1);
  await pass(1);
  expect(held.fired).toHaveLength(2);
  await end(failed('connection'));
  await pass(600);
  expect(held.fired).toHaveLength(2);
});

test('refused data is not retried; a locked state directory is', async () => {
  const { held, pass, end } = stage({
    schedules: [{ name: 'day', cron: '0 6 * * *', retries: { number: 5, wait: 1 } }],
  });
  await pass(0);
  await end(failed('locked'));
  await pass(30);
  expect(held.fired).toHaveLength(2);
  await end(failed('unreconciled'));
  await pass(600);
  expect(held.fired).toHaveLength(2);
});

test('a firing counts as done on disk after its run; an interrupted one is repeated', async () => {
  const done_until = '2026-01-01T06:00:00.000Z';
  const day = { name: 'day', cron: '0 6 * * *' };
  const state = { day: { cron: day.cron, time_zone: 'UTC', done_until } };
  const first = stage({ schedules: [day], state });
  await first.pass(0);
  expect(first.held.state).toEqual(state);
  first.scheduler.stop();
  first.scheduler.abort(new CrawlhouseError('interrupted', 'stop'));
  await first.scheduler.idle();
  expect(first.held.state).toEqual(state);

  const second = stage({ schedules: [day], state: first.held.state });
  await second.pass(1800);
  expect(second.held.fired).toEqual(['day']);
  await second.end();
  expect(second.held.state.day?.done_until).toBe('2026-01-02T06:00:00.000Z');
});

test('a changed file is loaded; an invalid one is logged once and the previous schedules continue', async () => {
  const { held, scheduler, pass, end } = stage({ schedules: [MINUTELY] });
  await pass(0);
  await end();
  held.schedules = new Error('schedules.yaml:3: unknown key crn');
  await pass(60);
  await pass(1);
  expect([held.fired.length, scheduler.broken]).toEqual([2, 'schedules.yaml:3: unknown key crn']);
  expect(held.log.filter((line) => line.includes('is invalid'))).toHaveLength(1);
  await end();
  held.schedules = [{ name: 'new', cron: '* * * * *' }];
  await pass(60);
  expect([held.fired.at(-1), scheduler.broken]).toEqual(['new', null]);
  await end();
});

test('a paused schedule starts nothing, and does not catch up when it is resumed', async () => {
  const { held, scheduler, pass, end } = stage({ schedules: [MINUTELY] });
  await pass(0);
  await end(failed('unreconciled'));
  held.schedules = [{ ...MINUTELY, paused: true }];
  await pass(60);
  scheduler.nudge();
  await pass(3);
  await pass(300);
  expect([held.fired, scheduler.waiting, scheduler.nextFirings()]).toEqual([
    ['each'],
    [],
    [{ name: 'each', next_at: null }],
  ]);
  held.schedules = [MINUTELY];
  await pass(10);
  expect(held.fired).toHaveLength(1);
  await pass(60);
  expect(held.fired).toHaveLength(2);
  await end();
});

test('the state keeps the result of the last run over a restart and a pause', async () => {
  const { held, pass, end } = stage({ schedules: [MINUTELY] });
  await pass(0);
  await end(failed('unreconciled'));
  const last = { ended_at: '2026-01-02T06:00:00.000Z', exit_code: 4, error: 'unreconciled' };
  expect(held.state.each?.last).toEqual(last);
  const next = stage({ schedules: [{ ...MINUTELY, paused: true }], state: held.state });
  await next.pass(120);
  expect(next.held.state.each).toMatchObject({ done_until: '2026-01-02T06:02:00.000Z', last });
  next.held.schedules = [MINUTELY];
  await next.pass(60);
  await next.end();
  expect(next.held.state.each?.last).toMatchObject({ exit_code: 0, error: null });
});

test('an invalid file at start is an error', async () => {
  const { held, scheduler } = stage({ schedules: [] });
  held.schedules = new CrawlhouseError('bad_schedule', 'schedules.yaml:1: x');
  await expect(scheduler.open()).rejects.toMatchObject({ code: 'bad_schedule' });
});

test('many triggers cause one run, also during a run', async () => {
  const { held, scheduler, pass, end } = stage({ schedules: [{ name: 'day', cron: '0 12 * * *' }] });
  await pass(0);
  for (let count = 0; count < 100; count += 1) scheduler.nudge();
  expect(scheduler.pause(10_000)).toBe(2000);
  await pass(2);
  expect(held.fired).toHaveLength(1);
  for (let count = 0; count < 100; count += 1) scheduler.nudge();
  await pass(60);
  await end();
  await pass(1);
  expect(held.fired).toHaveLength(2);
  await end();
  await pass(60);
  expect([held.fired.length, scheduler.waiting]).toEqual([2, []]);
});

test('a state that cannot be written does not end the service', async () => {
  const { held, scheduler, end } = stage({ schedules: [MINUTELY] });
  Object.defineProperty(held, 'state', {
    get: () => ({}),
    set: () => {
      throw new Error('no space left on device');
    },
  });
  await scheduler.tick();
  await end();
  expect(held.fired).toHaveLength(1);
  expect(held.log.join('\n')).toContain('state of the schedules not written');
});

test('continuous triggers start one run per minute, and a clock set back does not silence them', async () => {
  const { held, scheduler, pass, end } = stage({ schedules: [{ name: 'morning', cron: '0 5 * * *' }] });
  await pass(0);
  for (let second = 0; second < 600; second++) {
    scheduler.nudge();
    await pass(1);
    await end();
  }
  expect(held.fired).toHaveLength(10);
  held.now -= 3_600_000;
  scheduler.nudge();
  await pass(3);
  expect(held.fired).toHaveLength(11);
});
