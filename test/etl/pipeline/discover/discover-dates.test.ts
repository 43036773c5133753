import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { datesKey, discoverDates } from '../../../../src/etl/pipeline/discover/discover-dates.ts';
import { loadPipelines } from '../../../../src/etl/project/settings/pipelines.ts';
import { sendJson, testClient, testService } from '../../../client/test-service.ts';

const SPANS: Readonly<Record<string, { from: string; to: string }>> = {
  pages: { from: '2026-01-01', to: '2026-03-31' },
  events: { from: '2026-03-01', to: '2026-04-02' },
};
const { signal } = new AbortController();
const LOGS = (await loadPipelines(join(import.meta.dirname, '..', '..', '..', '..'))).filter(
  ({ source }) => source.kind === 'log_monitoring',
);

/** The days that each pipeline finds in a project, and the paths that were asked for. */
async function datesOf(datasets: readonly string[]) {
  const service = await testService(({ path }, response) => {
    const span = SPANS[/log_monitoring\/(\w+)\/metadata/.exec(path)?.[1] ?? ''];
    const dates = ['days', 'weeks', 'months'].map((granularity) => ({ granularity, ...span }));
    sendJson(response, 200, { dates, week_definition: 'sunday_start' });
  });
  const pipelines = LOGS.filter(({ dataset }) => datasets.includes(dataset));
  const project = { id: 'p', name: 'P', start_url: 'https://tea.example/' };
  const found = await discoverDates(testClient(service), [project], pipelines, Date.now(), signal);
  return {
    dates: pipelines.map((pipeline) => found.get('p')?.get(datesKey(pipeline))),
    asked: service.seen.map(({ path }) => path.replace(/.*log_monitoring/, '')),
  };
}

test('log lines and log pages have separate days, requested once per project', async () => {
  const weeks = 'sunday_start';
  const pages = { ...SPANS.pages, weeks };
  expect(await datesOf(['log_events', 'log_pages_days', 'log_pages_months', 'log_pages_weeks'])).toEqual({
    dates: [{ ...SPANS.events, weeks }, pages, pages, pages],
    asked: ['/pages/metadata', '/events/metadata'],
  });
});

test('data that no pipeline reads is not requested', async () => {
  expect((await datesOf(['log_pages_weeks'])).asked).toEqual(['/pages/metadata']);
  expect((await datesOf(['log_events'])).asked).toEqual(['/events/metadata']);
});

test.each([
  [403, { type: 'forbidden', error: 'no' }, { skip: expect.any(String) }],
  [400, { type: 'invalid_request_parameters', error: 'no' }, { failure: expect.any(CrawlhouseError) }],
])('a project whose days are answered with %s is skipped or fails', async (status, body, dates) => {
  const service = await testService((_seen, response) => sendJson(response, status, body));
  const project = { id: 'p', name: 'P', start_url: 'https://tea.example/' };
  const found = await discoverDates(testClient(service), [project], LOGS, Date.now(), signal);
  expect([...(found.get('p')?.values() ?? [])]).toContainEqual(dates);
});
