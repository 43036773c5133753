import { expect, test } from 'vitest';
import {
  type ScheduleLine,
  scheduleLine,
  workText,
} from '../../../../../src/app/console/page-parts/schedules/schedule-lines.ts';
import { AlertSettings } from '../../../../../src/etl/project/settings/alert-settings.ts';
import { Schedule } from '../../../../../src/etl/project/settings/schedules.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const LAST = { ended_at: '2026-03-01T06:05:00Z', exit_code: 0, error: null };
const line = (more: object = {}, state: object = {}): ScheduleLine =>
  scheduleLine(Schedule.parse({ name: 'daily', cron: '0 6 * * *', pipelines: 'all', ...more }), {
    alerts: AlertSettings.parse({ events: ['failure'], command: ['notify'] }),
    state: state as Parameters<typeof scheduleLine>[1]['state'],
    now: NOW,
  });

test('a schedule shows its next firings and its last run', () => {
  expect(line({}, { daily: { last: LAST } })).toMatchObject({
    name: 'daily',
    projects: null,
    crawl: null,
    logs: [],
    report: null,
    next: ['2026-03-02', '2026-03-03', '2026-03-04'].map((day) => expect.stringContaining(day)),
    last: LAST,
    alerts: { targets: [expect.stringContaining('notify')], events: ['failure'] },
  });
  expect(line().last).toBeNull();
  expect(line({ name: 'toString' }).last).toBeNull();
  expect(line({ logs: { from: ['/a.log'] } }).logs).toEqual(['/a.log']);
  expect(line({ paused: true }).next).toEqual([]);
  expect(line({ alerts: { events: [] } }).alerts.events).toEqual([]);
});

test.each([
  [{}, 'loads all datasets'],
  [{ pipelines: ['a', 'b'] }, 'loads a, b'],
  [{ projects: 'all' }, 'loads all datasets of all projects'],
  [{ projects: ['p1', 'p2'] }, 'loads all datasets of p1, p2'],
  [
    { crawl: 'https://a.example/', logs: { from: ['/a', '/b'] }, report: 'r.html' },
    'crawls https://a.example/, then adds the logs /a, /b, then loads all datasets, then writes r.html',
  ],
])('%j is described in one sentence', (more, text) => {
  expect(workText(line(more))).toBe(text);
});
