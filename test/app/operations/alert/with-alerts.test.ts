import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Incident, OpenIncident } from '../../../../src/app/operations/alert/incident.ts';
import type { AlertStore } from '../../../../src/app/operations/alert/sql-alert-store.ts';
import type { Target } from '../../../../src/app/operations/alert/targets.ts';
import { noteAlerts, type Watch, withAlerts } from '../../../../src/app/operations/alert/with-alerts.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import type { RunResult } from '../../../../src/etl/project/model/runs/run-result.ts';
import { type AlertEvent, AlertSettings } from '../../../../src/etl/project/settings/alert-settings.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { receiver } from './receiver.ts';

const RUN = { scope: 'run', run_id: 'r1', at: '2026-03-10T12:00:00.000Z' };
const TARGETS = [{ id: 'slack' }, { id: 'mail' }] as unknown as Target[];
const incident = (key: string, more: Partial<Incident> = {}): Incident => ({
  ...{
    key,
    event: 'failure',
    title: `title of ${key}`,
    details: [],
    project_id: null,
    began: null,
    hint: null,
  },
  ...more,
});
const open = (key: string, targets: readonly string[] = ['slack']): OpenIncident =>
  ({ key, event: 'failure', title: key, project_id: null, since: '2026-03-01', targets }) as OpenIncident;

/** What a run changes in the outbox. */
async function changes(
  former: readonly OpenIncident[],
  incidents: readonly Incident[],
  {
    judges = () => true,
    events = ['failure', 'recovery'],
  }: { readonly judges?: (key: string) => boolean; readonly events?: readonly AlertEvent[] } = {},
) {
  let change: ReturnType<Parameters<AlertStore['change']>[0]> | undefined;
  const store = {
    change: async (work: Parameters<AlertStore['change']>[0]) => {
      change = work(former);
    },
  } as unknown as AlertStore;
  const ended = new Map([['known end', '2026-03-09T04:00:00Z']]);
  await noteAlerts(store, { incidents, judges, ended }, { targets: TARGETS, events }, RUN);
  const { opened, closed, alerts } = (await change) ?? { opened: [], closed: [], alerts: [] };
  return {
    opened: opened.map(({ key, since, targets }) => [key, since, targets]),
    closed,
    alerts: alerts.map(({ target, alert }) => [target, alert.event, alert.incident]),
    bodies: alerts.map(({ alert }) => alert),
  };
}

test('a new incident is sent to all targets, an open one is not sent again', async () => {
  const { bodies: _, ...noted } = await changes(
    [open('a')],
    [incident('a'), incident('b', { began: '2026-03-08' })],
  );
  expect(noted).toEqual({
    opened: [['b', '2026-03-08', ['slack', 'mail']]],
    closed: [],
    alerts: [
      ['slack', 'failure', 'b'],
      ['mail', 'failure', 'b'],
    ],
  });
  expect((await changes([], [incident('c')])).opened).toEqual([['c', RUN.at, ['slack', 'mail']]]);
});

test('an incident that may end by itself, and an event that nobody wants, raise no alert', async () => {
  const none = { opened: [], closed: [], alerts: [], bodies: [] };
  expect(await changes([], [incident('a', { wait: true })])).toEqual(none);
  expect(await changes([], [incident('a')], { events: ['recovery'] })).toEqual(none);
});

test('an ended incident recovers at the targets of its alert, if the run could have detected it', async () => {
  const { bodies, ...noted } = await changes([open('a', ['mail', 'old']), open('other')], [], {
    judges: (key) => key === 'a',
  });
  expect(noted).toEqual({
    opened: [],
    closed: ['a'],
    alerts: [
      ['mail', 'recovery', 'a'],
      ['old', 'recovery', 'a'],
    ],
  });
  expect(bodies[0]).toMatchObject({ title: 'over: a', since: '2026-03-01', until: RUN.at, details: [] });
  expect((await changes([open('known end')], [])).bodies[0]).toMatchObject({
    until: '2026-03-09T04:00:00Z',
    details: ['the crawl of 2026-03-09 04:00 UTC ended it'],
  });
  const quiet = await changes([open('a')], [], { events: ['failure'] });
  expect([quiet.closed, quiet.alerts]).toEqual([['a'], []]);
});

const REQUEST = { pipelines: [], selection: { projects: 'all' as const } };
const DONE = { report: null, errors: [] } as unknown as RunResult;

/** Watched runs of a project that sends its alerts to a receiver. */
async function watchedProject(hasTarget = true) {
  const { url, received } = await receiver();
  const settings = await loadSettings(await rawProjectFolder(), {});
  const watch = (isLast = true): Watch => ({
    ...{ scope: 'run', isLast, now: () => Date.parse(RUN.at) },
    alerts: AlertSettings.parse(hasTarget ? { webhook: url } : {}),
  });
  const run = (work: () => RunResult, { isLast = true, signal = new AbortController().signal } = {}) =>
    withAlerts(
      settings,
      watch(isLast),
      { plan: () => REQUEST, run: async () => work() },
      silentLogger,
      signal,
    );
  return { run, received, settings, events: () => received.map(({ event, incident }) => [event, incident]) };
}

const fail = (): never => {
  throw new CrawlhouseError('connection', 'no answer');
};

test('a failed run is thrown and alerted once, and the next good run ends it', async () => {
  const { run, events } = await watchedProject();
  await expect(run(fail)).rejects.toThrow('no answer');
  await expect(run(fail)).rejects.toThrow('no answer');
  expect(events()).toEqual([['failure', 'run/run/connection']]);
  expect(await run(() => DONE)).toBe(DONE);
  expect(events().slice(1)).toEqual([['recovery', 'run/run/connection']]);
});

test('errors of a run that ended are alerted, and a run that will be repeated raises none yet', async () => {
  const { run, events } = await watchedProject();
  const result = { ...DONE, errors: [new CrawlhouseError('connection', 'no answer')] } as RunResult;
  await run(() => result, { isLast: false });
  expect(events()).toEqual([]);
  expect(await run(() => result)).toBe(result);
  expect(events()).toEqual([['failure', 'run/run/connection']]);
});

test('without targets, and after the program was stopped, nothing is stored or sent', async () => {
  const none = await watchedProject(false);
  await expect(none.run(fail)).rejects.toThrow('no answer');
  expect(existsSync(join(none.settings.state_dir, 'alerts'))).toBe(false);
  const stopped = await watchedProject();
  await expect(stopped.run(fail, { signal: AbortSignal.abort() })).rejects.toThrow('no answer');
  expect([stopped.received, existsSync(join(stopped.settings.state_dir, 'alerts'))]).toEqual([[], false]);
});
