import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { ServiceClient } from '../../../../../src/client/http/service-client.ts';
import { unitFilter } from '../../../../../src/etl/pipeline/discover/plan-units.ts';
import { openAggregates } from '../../../../../src/etl/pipeline/routes/aggregates/aggregates-route.ts';
import { RankingWindows } from '../../../../../src/etl/pipeline/routes/aggregates/ranking-windows.ts';
import { Pipeline } from '../../../../../src/etl/project/model/pipeline.ts';
import type { Task } from '../../../../../src/etl/project/model/task.ts';
import { unitName } from '../../../../../src/etl/project/model/unit.ts';
import { clientOf, patchProject, projectId } from '../../../../service/clients.ts';
import { rankingFolder } from '../../../../service/ranking/ranking-data.ts';
import { type Json, sharedService } from '../../../../service/support.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const { signal } = new AbortController();
const PIPELINE = Pipeline.parse({
  dataset: 'ranking_performance',
  description: 'Clicks by day',
  source: { kind: 'ranking_performance', data_type: 'ranking_performance' },
  window: 'day',
  columns: {
    url: 'string',
    query: 'string',
    date: 'date',
    device: 'string',
    clicks: 'natural',
    impressions: 'natural',
    position: 'float',
  },
});

/** So many rows on each of the days from 1 January 2025 on. */
function rowsOn(counts: readonly number[]): Json[] {
  return counts.flatMap((count, index) =>
    Array.from({ length: count }, (_, row) => ({
      url: `https://tea.example/${row}`,
      query: `tea ${row % 7}`,
      date: dayOf(index),
      device: 'mobile',
      clicks: row % 3,
      impressions: row % 11,
      position: (row % 5) + 0.5,
    })),
  );
}

function dayOf(index: number): string {
  return new Date(Date.UTC(2025, 0, 1 + index)).toISOString().slice(0, 10);
}

/** Forty days of three rows but for one without any; two days that fill most of a page, one that is more, and a small one. */
const EVEN = Array.from({ length: 40 }, (_, index) => (index === 20 ? 0 : 3));
const PEAKS = [1, 3000, 3000, 5200, 2];
const it = await sharedService({
  importDirs: await Promise.all([
    ...['even', 'narrow', 'dry'].map((name) => rankingFolder(name, rowsOn(EVEN))),
    rankingFolder('peaks', rowsOn(PEAKS)),
    rankingFolder(
      'silent',
      rowsOn([1, 5200]).map((row) => ({ ...row, clicks: 0, impressions: 0 })),
    ),
  ]),
});

async function unitsOf(name: string, days: number, filter?: object): Promise<Task[]> {
  const id = await projectId(it, name);
  const pipeline = { ...PIPELINE, ...(filter ? { filter } : {}) } as Pipeline;
  return Array.from({ length: days }, (_, index) => {
    const unit = {
      dataset: 'ranking_performance',
      source: { kind: 'ranking_performance' as const, id, project_id: id },
      window: { from: dayOf(index), to: dayOf(index + 1) },
    };
    const oql = unitFilter(pipeline, unit, 'iso');
    return {
      unit,
      name: unitName(unit),
      pipeline,
      skip: null,
      failure: null,
      oql,
      refresh: false,
      restore: null,
      ended_at: null,
    };
  });
}

/** The lines of a unit's raw parts. */
async function linesOf(
  client: ServiceClient,
  windows: RankingWindows,
  task: Task,
  folder: string,
): Promise<string> {
  const source = await openAggregates({ client, rankings: windows, signal }, { task, folder });
  let lines = '';
  for await (const part of source.parts) lines += await readFile(part.path, 'utf8');
  return lines;
}

/** The aggregates that a client asks for. */
function spyOnCalls(client: ServiceClient) {
  return vi.spyOn(client as { call: typeof client.call<'aggregateRanking'> }, 'call');
}

/** What the units bring, two at once, and how many days each request asked for. */
async function bring(units: readonly Task[], due: readonly Task[] = units) {
  const client = clientOf(it);
  const asked = spyOnCalls(client);
  const windows = new RankingWindows(client, due);
  const texts: string[] = [];
  for (let at = 0; at < units.length; at += 2) {
    const [one, other] = [await temporaryFolder(), await temporaryFolder()];
    const both = units.slice(at, at + 2);
    texts.push(
      ...(await Promise.all(
        both.map((unit, index) => linesOf(client, windows, unit, index === 0 ? one : other)),
      )),
    );
  }
  return { texts, requests: asked.mock.calls.length, client, windows, asked };
}

test('several days take few requests, and each day has the same lines as when requested alone', async () => {
  const units = await unitsOf('even', 40);
  const alone = await bring(units, []);
  const together = await bring(units);
  expect(together.texts).toEqual(alone.texts);
  expect(together.texts.map((text) => text.split('\n').length - 1)).toEqual(EVEN);
  // One to learn how many rows a day has, 31 days, and the other eight.
  expect([alone.requests, together.requests]).toEqual([80, 3]);
});

test("the pipeline's own filter applies to days that are requested together", async () => {
  const units = await unitsOf('even', 40, { field: ['url', 'equals', 'https://tea.example/1'] });
  const { texts, requests } = await bring(units);
  expect(texts.map((text) => text.split('\n').length - 1)).toEqual(EVEN.map((count) => Math.min(count, 1)));
  expect(requests).toBe(3);
});

test('a page cut within a day leaves this day and the following ones to other requests', async () => {
  const units = await unitsOf('peaks', PEAKS.length);
  const { texts } = await bring(units);
  expect(texts.map((text) => text.split('\n').length - 1)).toEqual(PEAKS);
  expect(texts).toEqual((await bring(units, [])).texts);
});

test('a full page reveals a cut day, even if its sums match', async () => {
  const { texts } = await bring(await unitsOf('silent', 2));
  expect(texts.map((text) => text.split('\n').length - 1)).toEqual([1, 5200]);
});

test('only due days are requested', async () => {
  const units = await unitsOf('even', 12);
  const due = units.filter((_, index) => index !== 5);
  const { asked, texts } = await bring(due);
  expect(texts.join('').split('\n').length - 1).toBe(33);
  expect(JSON.stringify(asked.mock.calls)).not.toContain(dayOf(5));
});

test('a day to reload is requested alone', async () => {
  const units = await unitsOf('even', 5);
  const { client, windows, asked } = await bring(units);
  asked.mockClear();
  await linesOf(client, windows, units[2] as Task, await temporaryFolder());
  expect(JSON.stringify(asked.mock.calls[0])).toContain(`["date","equals","${dayOf(2)}"]`);
});

test('a day whose rows do not add up is left out of the window, and requested alone', async () => {
  const units = await unitsOf('even', 6);
  const client = clientOf(it);
  const asked = spyOnCalls(client);
  const windows = new RankingWindows(client, units);
  const first = await linesOf(client, windows, units[0] as Task, await temporaryFolder());
  const really = ServiceClient.prototype.call<'aggregateRanking'>;
  asked.mockImplementationOnce(async (...given) => {
    const { aggs } = await really.apply(client, given);
    const rows = aggs[1]?.rows?.filter((row) => !(row.includes(dayOf(2)) && row.includes('tea 1')));
    return { aggs: [aggs[0] ?? {}, { ...aggs[1], rows }] };
  });
  const texts = [first];
  for (const unit of units.slice(1))
    texts.push(await linesOf(client, windows, unit, await temporaryFolder()));
  expect(texts.map((text) => text.split('\n').length - 1)).toEqual([3, 3, 3, 3, 3, 3]);
  // The first day, the five others, and the day that was left out.
  expect(asked).toHaveBeenCalledTimes(3);
});

test('if the quota is too small for the window, the window is halved until it fits', async () => {
  const id = await projectId(it, 'narrow');
  // One day costs 6 of the quota, 31 days 5,580, 16 days 1,536, and all of them by eight 2,000 at most.
  await patchProject(it, id, { ranking_performance_quota: 3200 });
  const units = await unitsOf('narrow', 40);
  const { texts, asked } = await bring(units);
  expect(texts.map((text) => text.split('\n').length - 1)).toEqual(EVEN);
  const results = asked.mock.settledResults.map((result) => result.type);
  expect(results.filter((type) => type === 'rejected').length).toBeGreaterThan(0);
  expect(results.length).toBeLessThan(12);
});

test('a quota that is too small for a day is reported after one request', async () => {
  const id = await projectId(it, 'dry');
  await patchProject(it, id, { ranking_performance_quota: 5 });
  const [unit] = await unitsOf('dry', 1);
  const client = clientOf(it);
  const asked = spyOnCalls(client);
  const windows = new RankingWindows(client, await unitsOf('dry', 40));
  const folder = await temporaryFolder();
  await expect(linesOf(client, windows, unit as Task, folder)).rejects.toMatchObject({ code: 'quota' });
  expect(asked).toHaveBeenCalledTimes(1);
});
