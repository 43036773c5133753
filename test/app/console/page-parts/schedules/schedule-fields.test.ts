import { expect, test } from 'vitest';
import {
  fieldsOfSchedule,
  readSchedule,
  type ScheduleBefore,
} from '../../../../../src/app/console/page-parts/schedules/schedule-fields.ts';
import type { AlertSettings } from '../../../../../src/etl/project/settings/alert-settings.ts';
import { Schedule } from '../../../../../src/etl/project/settings/schedules.ts';

const ALERTS = { events: ['failure'] } as unknown as AlertSettings;
const before = (schedule?: object, alerts = ALERTS): ScheduleBefore => ({
  schedule: schedule && Schedule.parse({ name: 'daily', cron: '0 6 * * *', pipelines: 'all', ...schedule }),
  alerts,
});
const BASE = 'name=daily&every=day&at=06:00&event=failure';
const read = (query: string, state = before(), isOwners = true) => {
  const { name, keys, problems } = readSchedule(new URLSearchParams(query), state, isOwners);
  const named = keys.map(([path, value]) => [path.join('.'), value] as const);
  return { name, keys: new Map(named), problems: Object.fromEntries(problems) };
};

test('a new schedule has the fields of its form', () => {
  const { name, keys, problems } = read(
    `${BASE}&dataset=crawl_pages&project=p1%0A%20p2&time_zone=Europe/Berlin&report=r/a.html&logs=/a.log&log_site=https://a.example/`,
  );
  expect([name, problems]).toEqual(['daily', {}]);
  expect(keys.get('pipelines')).toEqual(['crawl_pages']);
  expect(keys.get('projects')).toEqual(['p1', 'p2']);
  expect(keys.get('cron')).toBe('0 6 * * *');
  expect(keys.get('time_zone')).toBe('Europe/Berlin');
  expect(keys.get('report')).toBe('r/a.html');
  expect(keys.get('logs.from')).toEqual(['/a.log']);
  expect(keys.get('logs.site')).toBe('https://a.example/');
});

test('a key that does not change is not written', () => {
  const { name, keys } = read(`${BASE}&time_zone=UTC`, before({}));
  expect(name).toBe('daily');
  expect([...keys.keys()]).toEqual(['logs', 'alerts']);
  expect(read(`${BASE}&project=all`).keys.get('projects')).toBe('all');
  expect(read(BASE).keys.get('pipelines')).toBe('all');
});

test.each([
  ['report=../a.html', 'report'],
  ['report=a.txt', 'report'],
  ['time_zone=Nowhere', 'time_zone'],
  ['every=cron&cron=x', 'cron'],
  ['event=unknown', 'events'],
])('%s has a problem at its field', (more, field) => {
  const query = new URLSearchParams(BASE);
  for (const [key, value] of new URLSearchParams(more)) query.set(key, value);
  expect(JSON.stringify(read(query.toString()).problems)).toContain(
    field === 'events' ? 'events' : `"${field}"`,
  );
});

test('a report elsewhere stays, but cannot be chosen', () => {
  const elsewhere = before({ report: '/srv/a.html' });
  expect(read(`${BASE}&report=/srv/a.html`, elsewhere).problems).toEqual({});
  expect(read(`${BASE}&report=/srv/b.html`, elsewhere).problems).toHaveProperty('report');
});

test('only an owner changes the website of a schedule with private addresses', () => {
  const state = before({ crawl: 'http://10.0.0.1/', allow_private: true });
  const other = `${BASE}&crawl=http://10.0.0.2/`;
  expect(read(other, state, false).problems).toHaveProperty('crawl');
  expect(read(other, state, true).problems).toEqual({});
  expect(read(`${BASE}&crawl=http://10.0.0.1/`, state, false).problems).toEqual({});
  expect(read(other, before({ crawl: 'http://10.0.0.1/' }), false).problems).toEqual({});
});

test('events of the setting are not written', () => {
  expect(read(BASE).keys.has('alerts')).toBe(true);
  expect(read(`${BASE}&event=stale`).keys.get('alerts.events')).toEqual(['failure', 'stale']);
  const own = before({ alerts: { events: ['failure'], timeout: 9 } });
  const { keys } = read(BASE, own);
  expect([keys.has('alerts.events'), keys.get('alerts.events')]).toEqual([true, undefined]);
});

test('the fields of a schedule show its values or defaults', () => {
  const none = fieldsOfSchedule(before());
  expect(Object.fromEntries(none)).toMatchObject({
    every: 'day',
    at: '06:00',
    time_zone: 'UTC',
    project: '',
  });
  expect([none.getAll('dataset'), none.getAll('event')]).toEqual([[], ['failure']]);
  const fields = fieldsOfSchedule(
    before({
      pipelines: ['crawl_pages', 'crawl_links'],
      projects: ['p1', 'p2'],
      logs: { from: ['/a', '/b'], site: 'https://a.example/' },
      report: 'a.html',
    }),
  );
  expect(fields.getAll('dataset')).toEqual(['crawl_pages', 'crawl_links']);
  expect([fields.get('project'), fields.get('logs'), fields.get('log_site'), fields.get('report')]).toEqual([
    'p1\np2',
    '/a\n/b',
    'https://a.example/',
    'a.html',
  ]);
  expect(fieldsOfSchedule(before({ projects: 'all' })).get('project')).toBe('all');
});
