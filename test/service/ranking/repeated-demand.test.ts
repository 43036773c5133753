import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STAGED } from '../../../src/service/ranking/repeated-demand.ts';
import { stageDemand } from '../../../src/service/ranking/stage-demand.ts';
import { readDemand } from '../../../src/site/search-data/read-demand.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const { signal } = new AbortController();

/** What is staged of some files: what goes, and the clicks of the rest. */
async function staged(...contents: readonly string[]) {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const paths = contents.map((_, at) => join(folder, `${at}.txt`));
  for (const [at, path] of paths.entries()) await writeFile(path, contents[at] ?? '');
  const [source, ...more] = await readDemand(paths, { period: null, dimensions: null }, signal);
  if (source === undefined || more.length > 0) throw new Error('the files are one export');
  const { repeatedRows, coveredRows } = await stageDemand(
    connection,
    source,
    { onReject: 'fail', isOwnHost: () => true },
    signal,
  );
  const clicks = await connection.column(`SELECT CAST(clicks AS INTEGER) FROM ${STAGED} ORDER BY 1`);
  return { repeatedRows, coveredRows, clicks };
}

const answer = (...clicks: readonly number[]): string =>
  JSON.stringify({
    rows: clicks.map((one) => ({
      keys: ['2026-11-01', `https://e.example/${one}`],
      clicks: one,
      impressions: 9,
      position: 2.5,
    })),
  });
const HEADER = 'date,page,clicks,impressions\n';
const row = (clicks: number, page = '/a'): string => `2026-11-01,https://e.example${page},${clicks},9\n`;

test('a repeated key with the same figures counts once', async () => {
  const pages = await staged(answer(3, 2), answer(2, 1));
  expect(pages).toMatchObject({ repeatedRows: 1, clicks: [1, 2, 3] });
  const table = HEADER + row(3) + row(2, '/b');
  expect(await staged(`${table}${row(3)}${row(2, '/b')}`)).toMatchObject({ repeatedRows: 2, clicks: [2, 3] });
});

test('a repeated key with other figures is refused', async () => {
  await expect(staged(HEADER + row(3) + row(4))).rejects.toMatchObject({
    code: 'rejected_values',
    message: expect.stringContaining(
      '2 rows are of 2026-11-01 https://e.example/a, with different figures: 3 clicks, 9 impressions; 4 clicks, 9 impressions',
    ),
  });
});

test('fragments are separate rows, and so are anonymized queries of the bulk export', async () => {
  expect(await staged(HEADER + row(5, '/sec') + row(7, '/sec#part'))).toMatchObject({
    repeatedRows: 0,
    clicks: [5, 7],
  });
  const bulk = 'data_date,url,query,is_anonymized_query,clicks,impressions,sum_position\n';
  const unnamed = '2026-11-01,https://e.example/,,true,1,9,0\n';
  expect(await staged(bulk + unnamed + unnamed)).toMatchObject({ repeatedRows: 0, clicks: [1, 1] });
});

test.for([
  ['sc-domain:e.example', 'https://e.example/', 1],
  ['sc-domain:e.example', 'https://www.e.example/shop/', 1],
  ['sc-domain:e.example', 'sc-domain:www.e.example', 1],
  ['https://e.example/', 'https://e.example/shop/', 1],
  ['sc-domain:e.example', 'https://note.example/', 0],
  ['https://e.example/', 'http://e.example/', 0],
] as const)('%s and %s of one site are not summed', async ([wide, narrow, covered]) => {
  for (const table of [
    'date,page,site_url,clicks,impressions\n2026-11-01,https://e.example/shop/a,WIDE,3,9\n2026-11-01,https://e.example/shop/a,NARROW,2,9\n',
    'data_date,site_url,query,clicks,impressions,sum_top_position\n2026-11-01,WIDE,tea,3,9,0\n2026-11-01,NARROW,tea,2,9,0\n',
  ]) {
    const found = await staged(table.replace('WIDE', wide).replace('NARROW', narrow));
    expect(found.coveredRows).toEqual(covered === 0 ? {} : { [narrow]: 1 });
    expect(found.clicks).toEqual(covered === 0 ? [2, 3] : [3]);
  }
  // A day that the wide property lacks stays.
  const days = `date,page,site_url,clicks,impressions\n2026-11-01,https://e.example/,${wide},3,9\n2026-11-02,https://e.example/,${narrow},2,9\n`;
  expect(await staged(days)).toMatchObject({ coveredRows: {}, clicks: [2, 3] });
});
