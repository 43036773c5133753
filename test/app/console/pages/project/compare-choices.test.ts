import { expect, test } from 'vitest';
import {
  compareChoices,
  latestDeployment,
} from '../../../../../src/app/console/pages/project/compare-choices.ts';

const crawl = (number: number, ended_at: string, previous: number | null, config = 'web') => ({
  crawl_id: `c${number}`,
  crawl_number: number,
  ended_at,
  previous_crawl_id: previous === null ? null : `c${previous}`,
  crawl_config_name: config,
  is_main: number === 5,
});
/** The newest first; the crawl 4 ended early, and the previous one of 5 is 3. */
const CRAWLS = [
  crawl(5, '2026-11-22T06:00:00Z', 3),
  crawl(4, '2026-11-20T06:00:00Z', 3),
  crawl(9, '2026-11-19T06:00:00Z', null, 'blog'),
  crawl(3, '2026-11-15T06:00:00Z', 2),
  crawl(2, '2026-11-08T06:00:00Z', null),
];
const deployed = (date: string, text = 'New templates') => ({ date, kind: 'deployment' as const, text });

test.each([
  ['2026-11-16', 'c3', 'c4'],
  ['2026-11-15', 'c2', 'c4'],
  ['2026-11-20', 'c3', 'c5'],
  ['2026-11-22', 'c3', 'c5'],
])('the deployment on %s is between %s and %s', (date, from, to) => {
  const found = latestDeployment([deployed('2026-11-01', 'Old'), deployed(date)], CRAWLS);
  expect([found?.crawls?.from.crawl_id, found?.crawls?.to.crawl_id]).toEqual([from, to]);
  const { text } = compareChoices('p 1', found);
  expect(text).toContain(`href="/projects/p%201/compare?from=${from}&amp;to=${to}"`);
  expect(text).toContain(`New templates, ${date}: `);
});

test('without crawls around a deployment, or without a note, the last two crawls are compared', () => {
  const late = latestDeployment([deployed('2026-11-23')], CRAWLS);
  expect(late?.crawls).toBeNull();
  expect(compareChoices('p', late).text).toMatch(
    /from=previous&amp;to=latest".*no crawls before and after it/s,
  );
  const none = latestDeployment([{ date: '2026-11-16', kind: 'migration', text: 'Moved' }], CRAWLS);
  expect(none).toBeNull();
  expect(compareChoices('p', none).text).toContain('No note names a deployment');
});
