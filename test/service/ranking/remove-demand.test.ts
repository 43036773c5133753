import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import { readDemand } from '../../../src/site/search-data/read-demand.ts';
import { runs } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import '../../support/process-timeout.ts';
import { sharedService } from '../support.ts';

const { signal } = new AbortController();
const it = await sharedService({ generate: [] });
let made = 0;

/** A project of its own: adds and removes files by their contents, and shows the rows that are served. */
async function project() {
  const folder = await temporaryFolder();
  await using client = new ServiceClient({
    baseUrl: it.sandbox.baseUrl,
    accessToken: it.sandbox.accessToken,
  });
  const body = { project: { name: `removing-${made++}`, start_url: 'https://e.example/' } };
  const { id } = await client.call('createProject', { body });
  const add = async (contents: readonly string[], keep = false): Promise<readonly string[]> => {
    const paths = contents.map((content) => join(folder, `${hash('sha256', content)}.csv`));
    for (const [at, path] of paths.entries()) await writeFile(path, contents[at] ?? '');
    const statuses = [];
    for (const source of await readDemand(paths, { period: null, dimensions: null }, signal))
      statuses.push((await it.sandbox.addDemand(id, { source, keep, onReject: 'fail' }, signal)).status);
    return statuses;
  };
  const remove = (contents: readonly string[]) =>
    it.sandbox.removeDemand(
      id,
      contents.map((content) => ({ path: 'any.csv', sha256: hash('sha256', content) })),
    );
  return { id, add, remove, rows: () => rowsOf(id) };
}

async function rowsOf(project_id: string): Promise<string[]> {
  await using client = new ServiceClient({
    baseUrl: it.sandbox.baseUrl,
    accessToken: it.sandbox.accessToken,
  });
  const fields = ['date', 'period_days', 'totals_by', 'url', 'query', 'country'];
  const value = [{ field: 'clicks', method: 'sum', alias: 'c' } as const];
  const { aggs } = await client.call('aggregateRanking', { project_id, body: { aggs: [{ fields, value }] } });
  return (aggs[0]?.rows ?? []).map((row) => row.map((one) => one ?? '-').join(' ')).sort();
}

/** An export by day and URL: clicks of each day. */
const daily = (clicks: number, days: readonly number[]): string[] => [
  `date,page,clicks,impressions\n${days.map((day) => `2026-11-0${day},https://e.example/,${clicks},900\n`).join('')}`,
];
/** The same with queries, which have more dimensions. */
const byQuery = (clicks: number, days: readonly number[]): string[] => [
  `date,page,query,clicks,impressions\n${days.map((day) => `2026-11-0${day},https://e.example/,tea,${clicks},900\n`).join('')}`,
];
/** An export of the page: totals of two days, by pages, by queries or by both. */
const totals = (clicks: number, by: readonly ('pages' | 'queries')[]): string[] => {
  const figures = `${clicks},900,0.1%,2.5\n`;
  const head = 'Clicks,Impressions,CTR,Position';
  return [
    `Date,${head}\n2026-11-01,${figures}2026-11-02,${figures}`,
    ...(by.includes('pages') ? [`Top pages,${head}\nhttps://e.example/a,${figures}`] : []),
    ...(by.includes('queries') ? [`Top queries,${head}\ntea ${clicks},${figures}`] : []),
  ];
};

test('removing an export restores the earlier rows, and it can be added again', async () => {
  const { id, add, remove, rows } = await project();
  await add(daily(1, [1, 2]));
  const before = await rows();
  await add(daily(2, [2, 3]));
  await it.sandbox.noteLoadedDays([
    { dataset: 'ranking_performance', project_id: id, from: '2026-11-01', to: '2026-11-09' },
  ]);
  expect(await remove(daily(2, [2, 3]))).toEqual([
    { files: [expect.stringContaining('.csv')], rows: 2, restored_rows: 1, days: 2, still_out: [] },
  ]);
  expect(await rows()).toEqual(before);
  const changed = (await it.sandbox.changedDays()).filter((one) => one.project_id === id);
  expect(changed.filter(({ loaded_by }) => loaded_by.length === 0).map(({ day }) => day)).toEqual([
    '2026-11-02',
    '2026-11-03',
  ]);
  // The first one is whole again.
  expect(await add(daily(1, [1, 2]))).toEqual(['unchanged']);
  expect(await add(daily(2, [2, 3]))).toEqual(['added']);
  await remove(daily(1, [1, 2]));
  expect(await rows()).toEqual([
    '2026-11-02 - - https://e.example/ - - 2',
    '2026-11-03 - - https://e.example/ - - 2',
  ]);
});

test('a file that was not added, or only together with others, is refused without changes', async () => {
  const { add, remove, rows } = await project();
  await expect(remove(daily(1, [1]))).rejects.toThrow('no search data were added');
  await add(totals(3, ['pages']));
  const before = await rows();
  await expect(remove(daily(1, [1]))).rejects.toThrow('any.csv was not added to the project');
  await expect(remove(totals(3, ['pages']).slice(1))).rejects.toThrow('was added together with');
  expect(await rows()).toEqual(before);
  await remove(totals(3, ['pages']));
  expect(await rows()).toEqual([]);
});

test('days that an export excluded return once the blocking export is removed', async () => {
  const { id, add, remove, rows } = await project();
  const day = (n: number, clicks: number, query = '-'): string =>
    `2026-11-0${n} - - https://e.example/ ${query} - ${clicks}`;
  await add(byQuery(1, [1, 2]));
  await add(daily(2, [2, 3]));
  await add(byQuery(3, [3]));
  await add(daily(4, [3, 4]), true);
  expect(await rows()).toEqual([day(1, 1, 'tea'), day(2, 1, 'tea'), day(3, 3, 'tea'), day(4, 4)]);
  await it.sandbox.noteLoadedDays([
    { dataset: 'ranking_performance', project_id: id, from: '2026-11-01', to: '2026-11-09' },
  ]);
  expect(await remove(byQuery(1, [1, 2]))).toMatchObject([{ rows: 2, restored_rows: 1 }]);
  expect(await rows()).toEqual([day(2, 2), day(3, 3, 'tea'), day(4, 4)]);
  await remove(byQuery(3, [3]));
  expect(await rows()).toEqual([day(2, 2), day(3, 2), day(4, 4)]);
  // What is kept out gives way until the last one is gone, or it is added without --keep.
  expect(await add(daily(4, [3, 4]), true)).toEqual(['unchanged']);
  await remove(daily(2, [2, 3]));
  expect(await rows()).toEqual([day(3, 4), day(4, 4)]);
  await add(daily(5, [3]), true);
  expect(await add(daily(5, [3]))).toEqual(['added']);
  expect(await rows()).toEqual([day(3, 5), day(4, 4)]);
});

test('days excluded by --keep stay out if they would hide totals, and their file is named', async () => {
  const { add, remove, rows } = await project();
  await add(totals(1, ['pages']));
  await add(daily(2, [1]));
  const before = (await rows()).filter((row) => !row.endsWith(' 2'));
  await add(byQuery(3, [1]), true);
  expect(await remove(daily(2, [1]))).toMatchObject([
    { restored_rows: 0, still_out: [expect.stringContaining(hash('sha256', String(byQuery(3, [1]))))] },
  ]);
  expect(await rows()).toEqual(before);
  await remove(totals(1, ['pages']));
  expect(await rows()).toEqual(['2026-11-01 - - https://e.example/ tea - 3']);
});

test('after any removals, the rows equal those of the remaining exports alone', async () => {
  const day = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
  const by = fc.constantFrom<('pages' | 'queries')[]>(['pages'], ['queries'], ['pages', 'queries']);
  const kind = fc.oneof(
    day.map((days) => (clicks: number) => daily(clicks, days)),
    day.map((days) => (clicks: number) => byQuery(clicks, days)),
    by.map((one) => (clicks: number) => totals(clicks, one)),
  );
  const orders = fc.record({
    kinds: fc.array(kind, { minLength: 2, maxLength: 5 }),
    kept: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    gone: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(orders, async ({ kinds, kept, gone }) => {
      const exports = kinds.map((one, at) => one(at + 1));
      // What --keep leaves out beside totals stays out, and the command names it.
      const keeps = exports.some(({ length }) => length > 1) ? [] : kept;
      const [all, rest] = [await project(), await project()];
      for (const [at, one] of exports.entries()) await all.add(one, keeps[at]);
      const removed = [...new Set(gone.map((one) => one % exports.length))];
      for (const at of removed) await all.remove(exports[at] ?? []);
      for (const [at, one] of exports.entries()) if (!removed.includes(at)) await rest.add(one, keeps[at]);
      // A project without any export has no such rows to ask for.
      const alone = removed.length < exports.length ? await rest.rows() : [];
      expect(await all.rows()).toEqual(alone);
    }),
    { numRuns: runs(6) },
  );
});
