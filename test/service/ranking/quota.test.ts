import { expect, test } from 'vitest';
import { costOf, usageAfter } from '../../../src/service/ranking/ranking-table.ts';
import { patchProject, projectId } from '../clients.ts';
import { type Answer, type Json, sharedService } from '../support.ts';
import { rankingFolder } from './ranking-data.ts';

// One project a test: what one of them uses is not missing to another.
const NAMES = ['message', 'date', 'together', 'export', 'tea', 'coffee'];
const it = await sharedService({ importDirs: await Promise.all(NAMES.map((name) => rankingFolder(name))) });

function ask(id: string, ...aggs: readonly Json[]): Promise<Answer> {
  return it.api(`/data/project/${id}/ranking_performance/aggs`, { body: { aggs } });
}

/** The id of a project that may use so much in an hour. */
async function withQuota(name: string, ranking_performance_quota: number): Promise<string> {
  const id = await projectId(it, name);
  await patchProject(it, id, { ranking_performance_quota });
  return id;
}

// All is 6 rows of 3 days, the first day 3 rows.
const FIRST_DAY = { oql: { field: ['date', 'equals', '2025-01-01'] } };

test('a query over quota is refused with the specified message, and costs nothing', async () => {
  const id = await withQuota('message', 20);
  expect((await ask(id, {})).status).toBe(200);
  const refused = await ask(id, FIRST_DAY);
  expect([refused.status, refused.json]).toEqual([
    403,
    { type: 'quota_error', message: 'Ranking Performance query quota reached.' },
  ]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3600);
  await withQuota('message', 21);
  expect((await ask(id, FIRST_DAY)).status).toBe(200);
  expect((await ask(id, FIRST_DAY)).status).toBe(403);
  expect((await it.api(`/projects/${id}`)).text).not.toMatch(/quota|_ranking/);
});

test('a narrow date filter costs less, other filters and limits do not', async () => {
  const id = await withQuota('date', 3);
  expect((await ask(id, { oql: { field: ['device', 'equals', 'tablet'] } })).status).toBe(403);
  expect((await ask(id, { limit: 1 })).status).toBe(403);
  expect((await ask(id, FIRST_DAY)).status).toBe(200);
});

test('the queries of one request are charged together or not at all', async () => {
  const id = await withQuota('together', 5);
  expect((await ask(id, FIRST_DAY, FIRST_DAY)).status).toBe(403);
  expect((await ask(id, FIRST_DAY)).status).toBe(200);
});

test('an export uses the same quota, and a refused one leaves no record', async () => {
  const id = await withQuota('export', 3);
  const path = `/data/project/${id}/ranking_performance/async-export`;
  const asked = { body: { request: FIRST_DAY, output_format: 'json' } };
  expect((await it.api(path, asked)).status).toBe(200);
  expect((await it.api(path, asked)).json.type).toBe('quota_error');
  const list = await it.api(`/workspaces/${await it.workspace()}/data_exports`);
  expect((list.json.meta as Json).total).toBe(1);
});

test('the next hour restores the whole quota; other projects are unaffected', async () => {
  await it.ask('/_sandbox/clock', { body: { now: '2035-02-01T10:58:00Z' } });
  const [tea, coffee] = [await withQuota('tea', 18), await withQuota('coffee', 18)];
  expect((await ask(tea, {})).status).toBe(200);
  const refused = await ask(tea, {});
  expect(refused.status).toBe(403);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(120);
  expect((await ask(coffee, {})).status).toBe(200);
  await it.ask('/_sandbox/clock', { body: { now: '2035-02-01T11:00:00Z' } });
  expect((await ask(tea, {})).status).toBe(200);
});

test('costs grow with rows and days, and add up within an hour', () => {
  expect(costOf({ rows: 100, days: 7 })).toBe(700);
  expect(costOf({ rows: 0, days: 0 })).toBe(0);
  const hour = 3_600_000;
  expect(usageAfter(undefined, 5, 10, 0)).toEqual({ usage: { hour: 0, used: 5 } });
  expect(usageAfter({ hour: 0, used: 5 }, 5, 10, hour - 1)).toEqual({ usage: { hour: 0, used: 10 } });
  expect(usageAfter({ hour: 0, used: 5 }, 6, 10, hour - 1)).toEqual({ retryAfter: 1 });
  expect(usageAfter({ hour: 0, used: 10 }, 6, 10, hour)).toEqual({ usage: { hour: 1, used: 6 } });
});
