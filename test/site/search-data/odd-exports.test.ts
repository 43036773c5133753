import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDemand } from '../../../src/site/search-data/read-demand.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { zipFile } from '../../support/zip-file.ts';

const FIGURES = 'Clicks,Impressions,CTR,Position';
const DATES = `Date,${FIGURES}\n2026-11-01,12,120,10%,5.5\n`;
const { signal } = new AbortController();

/** The rows of the tables in an export of the page: their first cells and clicks. */
async function rowsOf(...tables: readonly string[]): Promise<string[]> {
  const folder = await temporaryFolder();
  const paths = tables.map((_, index) => join(folder, `${index}.csv`));
  for (const [index, text] of tables.entries()) await writeFile(paths[index] ?? '', text);
  const rows: string[] = [];
  for (const source of await readDemand(paths, { period: null, dimensions: null }, signal))
    for (const table of source.tables)
      for await (const record of table.records(signal))
        rows.push(
          'row' in record
            ? `${record.row.date ?? record.row.url ?? record.row.query ?? record.row.device ?? record.row.country} ${record.row.clicks}${record.likeTotal === undefined ? '' : ' like a total'}`
            : 'reject' in record
              ? `reject in line ${record.reject.line}`
              : 'total' in record
                ? `total in line ${record.total.line}`
                : 'other',
        );
  return rows;
}

test.for([
  'Last 28 days Clicks,Previous 28 days Clicks',
  'Last 28 days Clicks,Previous 28 days Clicks,Last 28 days Impressions,Previous 28 days Impressions',
  '28 derniers jours Clics,28 jours précédents Clics,28 derniers jours CTR,28 jours précédents CTR',
  'Letzte Woche Klicks,Vorherige Woche Klicks',
  '過去 28 日間 クリック数,前の 28 日間 クリック数',
])('clicks of two periods are not clicks and impressions: %s', async (figures) => {
  const cells = figures.split(',').map((_, index) => 5 + index);
  await expect(rowsOf(DATES, `Top pages,${figures}\nhttps://e.example/,${cells.join()}\n`)).rejects.toThrow(
    'compares two periods',
  );
});

test('hours are not days', async () => {
  const hour = (at: string): string => `2026-11-24T${at}:00:00-08:00,1,10,10%,5.5\n`;
  await expect(rowsOf(`Time,${FIGURES}\n${hour('22')}${hour('23')}`)).rejects.toThrow(
    'it is by hours, not by days',
  );
});

const SUM = (name: string): string => `${name},15,150,10%,5.5\n`;
const ABOVE = (name: string, rows: string): string => rows.replace('\n', `\n${SUM(name)}`);
const QUERIES = `Top queries,${FIGURES}\ntea,12,120,10%,5.5\ntea pot,3,30,10%,5.5\n`;
const PAGES = QUERIES.replace('queries', 'pages').replaceAll(/^tea ?/gm, 'https://e.example/');
const DEVICES = `Device,${FIGURES}\nMobile,12,120,10%,5.5\nDesktop,3,30,10%,5.5\n`;
const COUNTRIES = `Country,${FIGURES}\nFrance,12,120,10%,5.5\nSpain,3,30,10%,5.5\n`;
const LOOKER = `Date,Landing Page,Query,${FIGURES}\n2026-11-01,https://e.example/,tea,12,120,10%,5.5\n2026-11-01,https://e.example/,,3,30,10%,5.5\n`;
test.for([
  [QUERIES + SUM('Total'), ['tea 12', 'tea pot 3', 'total in line 4']],
  [ABOVE('Grand total', QUERIES), ['tea 12', 'tea pot 3', 'total in line 2']],
  [ABOVE('', QUERIES), ['tea 12', 'tea pot 3', 'total in line 2']],
  [
    `${DATES}2026-11-02,3,30,10%,5.5\n${SUM('Summe 2')}`,
    ['2026-11-01 12', '2026-11-02 3', 'total in line 4'],
  ],
  [PAGES + SUM('Σ'), ['https://e.example/ 12', 'https://e.example/pot 3', 'total in line 4']],
  [DEVICES + SUM('Total général'), ['mobile 12', 'desktop 3', 'total in line 4']],
  [ABOVE('合計', COUNTRIES), ['fra 12', 'esp 3', 'total in line 2']],
  [LOOKER + SUM('Total,,'), ['2026-11-01 12', '2026-11-01 3', 'total in line 4']],
  [`Top queries,${FIGURES}\ntea,15,150,10%,5.5\n${SUM('Итого')}`, ['tea 15', 'total in line 3']],
  [
    `${ABOVE('Total', QUERIES).replace('tea pot', 'total')}`,
    ['tea 12', 'total 3 like a total', 'total in line 2'],
  ],
  // Its figures are not the sums.
  [QUERIES + SUM('Total').replace('150', '151'), ['tea 12', 'tea pot 3', 'Total 15 like a total']],
  [
    PAGES + SUM('Total').replace('15,', '14,'),
    ['https://e.example/ 12', 'https://e.example/pot 3', 'reject in line 4'],
  ],
  // It stands between others, is alone, or has a name of its own.
  [QUERIES.replace('tea pot', 'total'), ['tea 12', 'total 3 like a total']],
  [`${QUERIES + SUM('Total')}pot,0,1,0%,9\n`, ['tea 12', 'tea pot 3', 'Total 15', 'pot 0']],
  [`Top queries,${FIGURES}\n${SUM('total')}`, ['total 15']],
  [ABOVE('total tea', QUERIES), ['total tea 15', 'tea 12', 'tea pot 3']],
  [`Top queries,${FIGURES}\n${SUM('coffee')}${SUM('total energies')}`, ['coffee 15', 'total energies 15']],
] as const)('a row with the sums of all others is skipped: %j', async ([table, rows]) => {
  const dated = table.startsWith('Date') ? [table] : [DATES, table];
  expect((await rowsOf(...dated)).filter((_, at) => dated.length === 1 || at > 0).sort()).toEqual(
    [...rows].sort(),
  );
});

test.for([
  ['weeks', ['2026-11-02', '2026-11-09', '2026-11-16']],
  ['months', ['2026-09-01', '2026-10-01', '2026-11-01']],
] as const)('rows of whole %s are not days', async ([by, days]) => {
  const rows = days.map((day) => `${day},12,120,10%,5.5\n`);
  await expect(rowsOf(`Date,${FIGURES}\n${rows.join('')}`)).rejects.toThrow(`it is by ${by}, not by days`);
});

test.for([
  [
    '2026-11-20 12',
    `Date,Landing Page,Query,Impressions,Url Clicks,URL CTR,Average Position`,
    'https://e.example/,a,120,12',
  ],
  ['2026-11-20 12', `Date,Page,Query,Clicks,Impressions,CTR,Avg. Position`, 'https://e.example/,a,12,120'],
] as const)('Looker Studio columns are recognized: %s of %s', async ([row, header, cells]) => {
  expect(await rowsOf(`${header}\n2026-11-20,${cells},10%,5.5\n`)).toEqual([row]);
});

test.for(['Datum,Seite,Klicks,Impressionen,CTR', 'Date,Path,Impressions,Clicks,Avg CTR'])(
  'an unknown second dimension refuses the table: %s',
  async (header) => {
    await expect(rowsOf(`${header}\n2026-11-20,/a,12,120,10%\n`)).rejects.toThrow('is a second dimension');
  },
);

test.for([
  'Vanligaste sökfrågor',
  'Hyppigste forespørgsler',
  'Suosituimmat haut',
  'Kueri teratas',
  'คำค้นหายอดนิยม',
  'أهم طلبات البحث',
  'शीर्ष क्वेरी',
  'Κορυφαία ερωτήματα',
  'Cụm từ tìm kiếm hàng đầu',
  'שאילתות מובילות',
])('queries that are country names are queries: %s', async (header) => {
  const queries = `${header},a,b,CTR,c\nfrance,12,120,10%,5.5\n`;
  expect(await rowsOf(DATES, queries)).toEqual(['2026-11-01 12', 'france 12']);
});

test.for(['2026年11月20日', '2026년 11월 20일'])('%s is parsed as a day', async (day) => {
  expect(await rowsOf(`日付,${FIGURES}\n${day},12,120,10%,5.5\n`)).toEqual(['2026-11-20 12']);
});

test.for(['46204', '20260701', '1. März 2026', 'first'])(
  'unreadable days are reported, and not treated as queries: %s',
  async (day) => {
    const table = `Datum,Klicks,Impressionen,CTR,Position\n${day},12,120,10%,5.5\n`;
    await expect(rowsOf(table)).rejects.toThrow(`its days cannot be read, such as "${day}"`);
  },
);

test('paths are pages without a host, not queries', async () => {
  await expect(rowsOf(`Top pages,${FIGURES}\n/a,12,120,10%,5.5\n/,1,2,50%,1\n`)).rejects.toThrow(
    'its pages have no scheme and no host, such as "/a"',
  );
});

test('an archive without days explains why its table by date is invalid', async () => {
  const path = join(await temporaryFolder(), 'export.zip');
  await writeFile(
    path,
    zipFile([
      { name: 'Chart.csv', content: DATES.replace('2026-11-01', '46204') },
      { name: 'Queries.csv', content: `Top queries,${FIGURES}\ntea,1,2,50%,3\n` },
    ]),
  );
  await expect(readDemand([path], { period: null, dimensions: null }, signal)).rejects.toThrow(
    /no table by date shows the days \(.*Chart.csv: its days cannot be read, such as "46204"\)/,
  );
});

test.for([
  ['a line that names the delimiter', DATES.replaceAll(',', ';').replace(/^/, 'sep=;\n')],
  ['empty cells behind the last column', DATES.replaceAll('\n', ',,\n')],
  ['empty cells behind the header', DATES.replace('\n', ',\n')],
  ['a row of empty cells', `${DATES},,,,\n`],
] as const)('%s, as written by spreadsheets, changes nothing', async ([, table]) => {
  expect(await rowsOf(table)).toEqual(['2026-11-01 12']);
});
