import { expect, test } from 'vitest';
import { rankingDays } from '../../../../src/etl/pipeline/discover/discover-dates.ts';
import { sendJson, testClient, testService } from '../../../client/test-service.ts';
import { clientOf, patchProject, projectId } from '../../../service/clients.ts';
import { rankingFolder } from '../../../service/ranking/ranking-data.ts';
import { sharedService } from '../../../service/support.ts';

const NAMES = ['whole', 'narrow', 'poor', 'empty'];
const folders = NAMES.map((name) => (name === 'empty' ? rankingFolder(name, []) : rankingFolder(name)));
const it = await sharedService({ importDirs: await Promise.all(folders) });
const NOW = Date.parse('2025-03-01T12:00:00Z');
const { signal } = new AbortController();
const ALL_DAYS = { from: '2025-01-01', to: '2025-01-03' };

/** The days of a project that may use so much an hour; its rows are 3, 2 and 1 on three days. */
async function daysOf(name: string, quota?: number) {
  const id = await projectId(it, name);
  if (quota !== undefined) await patchProject(it, id, { ranking_performance_quota: quota });
  return rankingDays(clientOf(it), id, NOW, signal);
}

test('one request finds the first and the last day', async () => {
  expect(await daysOf('whole')).toEqual(ALL_DAYS);
  expect(await daysOf('empty')).toBeUndefined();
});

test('if all days exceed the quota, they are requested in smaller spans', async () => {
  // All at once cost 18, the first two days 10, the last one 1.
  expect(await daysOf('narrow', 17)).toEqual(ALL_DAYS);
});

test('a quota that is too small for a day is reported', async () => {
  await expect(daysOf('poor', 1)).rejects.toMatchObject({ code: 'quota', kind: 'retriable' });
});

test('the order of days does not affect the first and last day', async () => {
  const rows = ['2025-01-02', '2025-01-03', '2025-01-01'].map((date) => [date, 1]);
  const service = await testService((_seen, response) =>
    sendJson(response, 200, { aggs: [{ cols: ['date', 'count'], rows }] }),
  );
  expect(await rankingDays(testClient(service), 'p', NOW, signal)).toEqual(ALL_DAYS);
});

test('if there are more days than a response contains, the last day is requested separately', async () => {
  const days = Array.from({ length: 6000 }, (_, at) =>
    new Date(Date.UTC(2005, 0, 1 + at)).toISOString().slice(0, 10),
  );
  const service = await testService((seen, response) => {
    const { sort, limit } = (JSON.parse(seen.body) as { aggs: { sort: { order: string }; limit: number }[] })
      .aggs[0] ?? { sort: { order: '' }, limit: 0 };
    const sorted = sort.order === 'asc' ? days : days.toReversed();
    const rows = sorted.slice(0, limit).map((date) => [date, 1]);
    sendJson(response, 200, { aggs: [{ cols: ['date', 'count'], rows }] });
  });
  const span = { from: '2005-01-01', to: days.at(-1) };
  expect(await rankingDays(testClient(service), 'p', NOW, signal)).toEqual(span);
});

test('an error instead of days does not mean a project without days', async () => {
  const error = { type: 'internal_error', message: 'not now' };
  const service = await testService((_seen, response) => sendJson(response, 200, { aggs: [{ error }] }));
  await expect(rankingDays(testClient(service), 'p', NOW, signal)).rejects.toMatchObject({
    code: 'service_unavailable',
  });
});
