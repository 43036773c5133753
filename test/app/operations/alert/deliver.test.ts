import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Alert, alertText } from '../../../../src/app/operations/alert/alert.ts';
import type { Incident } from '../../../../src/app/operations/alert/incident.ts';
import { sqliteAlertStore } from '../../../../src/app/operations/alert/open-alert-store.ts';
import type { Target } from '../../../../src/app/operations/alert/targets.ts';
import { deliverAlerts, noteAlerts } from '../../../../src/app/operations/alert/with-alerts.ts';
import { lockState } from '../../../../src/core/locks/state-lock.ts';
import { createLogger } from '../../../../src/core/logs/logger.ts';
import { keepSecret } from '../../../../src/core/secrets/redact.ts';
import { ALERT_EVENTS, type AlertEvent } from '../../../../src/etl/project/settings/alert-settings.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const NOON = Date.parse('2026-03-02T12:00:00Z');
const HOUR = 3_600_000;
const never = new AbortController().signal;

const failing: Incident = {
  key: 'units/p1/connection',
  event: 'failure',
  title: '1 unit of shop failed: connection',
  details: ['crawl_pages/a: reset'],
  project_id: 'p1',
  began: null,
  hint: null,
};
const stale: Incident = {
  ...failing,
  key: 'stale/p1',
  event: 'stale',
  title: 'shop: no new crawl',
  details: [],
};

/** Runs that find incidents, each with the state as a new process would find it. */
async function stage() {
  const folder = join(await temporaryFolder(), 'alerts');
  const sent: string[] = [];
  const alerts: Alert[] = [];
  const away = new Set<string>();
  const log: string[] = [];
  const target = (id: string): Target => ({
    id,
    name: id,
    async reach() {},
    async send(alert) {
      if (away.has(id)) throw new Error('nobody there');
      const { event, title } = alert;
      alerts.push(alert);
      sent.push(`${id} ${event}: ${title}`);
      return 'taken';
    },
  });
  const run = async (
    at: number,
    incidents: readonly Incident[],
    options: {
      targets?: readonly string[];
      judges?: (key: string) => boolean;
      events?: readonly AlertEvent[];
    } = {},
  ): Promise<string[]> => {
    await using store = sqliteAlertStore(folder);
    const targets = (options.targets ?? ['webhook']).map(target);
    const findings = { incidents, judges: options.judges ?? (() => true) };
    const of = { scope: 'morning', run_id: 'r', at: new Date(at).toISOString() };
    await noteAlerts(store, findings, { targets, events: options.events ?? ALERT_EVENTS }, of);
    const logger = createLogger('info', (line) => log.push(line));
    await deliverAlerts(store, { targets, now: at }, logger, never);
    return sent.splice(0);
  };
  return { folder, run, away, log, alerts };
}

test('each incident raises one alert on the first run, none on later runs, and one recovery at the end', async () => {
  const { run } = await stage();
  expect(await run(NOON, [failing])).toEqual(['webhook failure: 1 unit of shop failed: connection']);
  expect(await run(NOON + HOUR, [failing])).toEqual([]);
  expect(await run(NOON + 2 * HOUR, [{ ...failing, title: '2 units of shop failed: connection' }])).toEqual(
    [],
  );
  expect(await run(NOON + 3 * HOUR, [])).toEqual([
    'webhook recovery: over: 1 unit of shop failed: connection',
  ]);
  expect(await run(NOON + 4 * HOUR, [])).toEqual([]);
  expect(await run(NOON + 5 * HOUR, [failing])).toHaveLength(1);
});

test('an incident that a run could not detect stays open', async () => {
  const { run } = await stage();
  await run(NOON, [stale]);
  expect(await run(NOON, [], { judges: (key) => !key.startsWith('stale/') })).toEqual([]);
  expect(await run(NOON, [stale])).toEqual([]);
  expect(await run(NOON, [])).toEqual(['webhook recovery: over: shop: no new crawl']);
});

test('an incident that may resolve itself raises an alert only if it persists', async () => {
  const { run } = await stage();
  expect(await run(NOON, [{ ...failing, wait: true }])).toEqual([]);
  expect(await run(NOON, [failing])).toHaveLength(1);
  expect(await run(NOON, [{ ...failing, wait: true }])).toEqual([]);
  expect(await run(NOON, [])).toHaveLength(1);
});

test('only the configured events raise alerts', async () => {
  const { run } = await stage();
  expect(await run(NOON, [failing, stale], { events: ['stale'] })).toEqual([
    'webhook stale: shop: no new crawl',
  ]);
  expect(await run(NOON, [], { events: ['stale'] })).toEqual([]);
  expect(await run(NOON, [])).toEqual([]);
});

test('an undelivered alert is logged, and the next run sends it in order', async () => {
  const { run, away, log } = await stage();
  away.add('webhook');
  expect(await run(NOON, [failing], { targets: ['webhook', 'command'] })).toEqual([
    'command failure: 1 unit of shop failed: connection',
  ]);
  expect(log.join('\n')).toContain('alert not delivered, the next run tries again target=webhook');
  away.clear();
  expect(await run(NOON + HOUR, [], { targets: ['webhook', 'command'] })).toEqual([
    'webhook failure: 1 unit of shop failed: connection',
    'webhook recovery: over: 1 unit of shop failed: connection',
    'command recovery: over: 1 unit of shop failed: connection',
  ]);
});

test('an unreachable target gets no later alert before the first', async () => {
  const { run, away, log } = await stage();
  away.add('webhook');
  await run(NOON, [failing, stale]);
  expect(log.filter((line) => line.includes('alert not delivered'))).toHaveLength(1);
  away.clear();
  expect(await run(NOON, [failing, stale])).toEqual([
    'webhook failure: 1 unit of shop failed: connection',
    'webhook stale: shop: no new crawl',
  ]);
});

test('every target that got an alert also gets its recovery', async () => {
  const { run } = await stage();
  await run(NOON, [failing], { targets: ['night'] });
  expect(await run(NOON, [], { targets: ['day'] })).toEqual([]);
  expect(await run(NOON, [], { targets: ['night'] })).toEqual([
    'night recovery: over: 1 unit of shop failed: connection',
  ]);
});

test('an undelivered alert is dropped after a week', async () => {
  const { run, away, log } = await stage();
  away.add('webhook');
  await run(NOON, [failing]);
  await run(NOON + 7 * 24 * HOUR, [failing]);
  expect(log.join('\n')).not.toContain('alert given up');
  away.clear();
  expect(await run(NOON + 7 * 24 * HOUR + 1, [failing])).toEqual([]);
  await run(NOON + 8 * 24 * HOUR, [failing]);
  expect(log.filter((line) => line.includes('alert given up'))).toHaveLength(1);
});

test('an alert and its recovery show the start time if it is known, and an alert shows a hint', async () => {
  const { run, alerts } = await stage();
  const began = '2026-02-27T06:00:00.000Z';
  await run(NOON, [{ ...failing, began, hint: 'run again' }, stale]);
  await run(NOON + HOUR, []);
  const noon = new Date(NOON).toISOString();
  expect(alerts.map(({ event, incident, since, hint }) => [event, incident, since, hint])).toEqual([
    ['failure', failing.key, began, 'run again'],
    ['stale', stale.key, noon, null],
    ['recovery', stale.key, noon, null],
    ['recovery', failing.key, began, null],
  ]);
  expect(alerts.map((alert) => 'began' in alert || 'key' in alert)).toEqual([false, false, false, false]);
});

test('while another process delivers, no alert is sent twice', async () => {
  const { run, folder } = await stage();
  {
    using _lock = lockState(folder, 'delivery of alerts');
    expect(await run(NOON, [failing])).toEqual([]);
  }
  expect(await run(NOON, [failing])).toHaveLength(1);
});

test('secrets are masked in JSON and Slack alerts', () => {
  keepSecret('secret-of-the-alert');
  const alert: Alert = {
    event: 'failure',
    incident: 'run/morning/internal',
    title: 'morning failed: <internal> & more',
    details: ['token secret-of-the-alert'],
    hint: 'set access_token <anew>',
    project_id: null,
    scope: 'morning',
    run_id: 'r',
    since: new Date(NOON).toISOString(),
    at: new Date(NOON).toISOString(),
  };
  expect(JSON.parse(alertText(alert, 'json'))).toEqual({ ...alert, details: ['token [redacted]'] });
  expect(JSON.parse(alertText(alert, 'slack'))).toEqual({
    text: '*crawlhouse failure*: morning failed: &lt;internal&gt; &amp; more\n> token [redacted]\nTry: set access_token &lt;anew&gt;',
  });
});
