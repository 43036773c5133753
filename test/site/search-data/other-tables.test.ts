import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plausibleTime } from '../../../src/core/time/plausible-days.ts';
import { type DemandOptions, readDemand } from '../../../src/site/search-data/read-demand.ts';
import { runs } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { zipFile } from '../../support/zip-file.ts';

const { signal } = new AbortController();
const PERIOD = { from: '2026-10-01', to: '2026-10-31' };

/** Clicks, impressions and position of each row of a file. */
async function figuresOf(
  content: string | Uint8Array,
  options: Partial<DemandOptions> = {},
): Promise<readonly (readonly unknown[])[]> {
  const path = join(await temporaryFolder(), 'a.csv');
  await writeFile(path, content);
  const found: unknown[][] = [];
  for (const { tables } of await readDemand([path], { period: PERIOD, dimensions: null, ...options }, signal))
    for (const table of tables)
      for await (const record of table.records(signal))
        if ('row' in record) found.push([record.row.clicks, record.row.impressions, record.row.position]);
        else if ('reject' in record) found.push([record.reject.reason]);
  return found;
}

test.for([
  ['Date,Poor,Need improvement,Good\n2026-11-01,1,12,120\n', 'Core Web Vitals'],
  ['Date,Not indexed,Indexed,Impressions\n2026-11-01,188,18,140\n', 'page indexing (coverage)'],
  ['Date,Invalid,Valid,Impressions\n2026-11-01,1,18,140\n', 'rich results or merchant listings'],
  ['Date,Users,Sessions\n2026-11-01,12,120\n', 'Google Analytics'],
  ['Date,Active users\n2026-11-01,12\n', 'Google Analytics'],
  ['Day,Clicks,Impr.,CTR,Cost\n2026-11-01,12,120,10%,3.50\n', 'an advertising account'],
  ['Day,Campaign,Clicks,Impressions,CTR\n2026-11-01,Brand,12,120,10%\n', 'an advertising account'],
  ['date,visitors,pageviews,bounce_rate\n2026-11-01,12,120,50\n', 'web statistics'],
  ['Date,Requests,Cached Requests,Bandwidth\n2026-11-01,120,12,5\n', 'Cloudflare or a CDN'],
  ['Date,Citations,Cited Pages\n2026-11-01,120,12\n', 'AI citations'],
  ['Día,Clics,Impresiones,CTR,Coste\n2026-11-01,12,120,10%,3.50\n', 'an advertising account'],
  ['# ----\n# Acme\n# 20261101-20261128\n\nDate,Active users\n20261101,12\n', 'Google Analytics'],
  ['Campaign report\n"1 November 2026"\nDay,Clicks,Impr.\n2026-11-01,12,120\n', 'an advertising account'],
  ['日付,コンバージョン,セッション\n2026-11-01,12,120\n', 'an advertising account'],
  ['Query,Page,Clicks,Impressions,Cost\ntea,https://e.example/,1,2,3\n', 'an advertising account'],
  ['Запрос,Показы,Клики,Ср. позиция показа\nчай,120,12,5.5\n', 'Yandex Webmaster'],
  ['Запрос;Показы;Клики;CTR;Позиция\nчай;120;12;10%;5,5\n', 'Yandex Webmaster'],
] as const)('a table of another report is refused with its name: %j', async ([table, report]) => {
  await expect(figuresOf(table)).rejects.toThrow(report);
  const packed = zipFile([
    { name: 'Chart.csv', content: table },
    { name: 'Metadata.csv', content: 'Property,Value\nSitemap,All known pages\n' },
  ]);
  await expect(figuresOf(packed)).rejects.toThrow(report);
});

test.for([
  ['Datum,Schlecht,Optimierung erforderlich,Gut\n2026-11-01,1,12,120\n'],
  ['Date,Foo,Bar\n2026-11-01,12,120\n'],
  ['Date,Clicks,Impressions,CTR,Foo\n2026-11-01,12,120,10%,5.5\n'],
  ['Datum,A,B,C,D\n2026-11-01,12,120,11%,5.5\n'],
  ['Datum,A,B,C,D\n2026-11-01,0,120,0%,5.5\n'],
  ['Datum,A,B,C,D\n2026-11-01,12,120,10%,5\n'],
  ['Datum,A,B,C,D\n2026-11-01,12,120,10%,0.5\n'],
  ['Datum,A,B,C,D,E\n2026-11-01,12,120,10%,5.5,7\n'],
] as const)('figures with unknown names and no proof are refused: %j', async ([table]) => {
  await expect(figuresOf(table)).rejects.toThrow('its figures do not show which columns these are');
});

test('figures with unknown names are identified by rates and positions, for all tables of the export', async () => {
  const head = 'Igama,Iincofo,Iimbono,CTR,Indawo';
  expect(await figuresOf(`${head}\n2026-11-01,12,120,10%,5.5\n2026-11-02,0,3,0%,9\n`)).toEqual([
    [12n, 120n, 5.5],
    [0n, 3n, 9],
  ]);
  const packed = zipFile([
    { name: '1.csv', content: `${head.replace('Igama', 'Iqhosha')}\nMobile,12,120,10%,5\n` },
    { name: '2.csv', content: `${head}\n2026-11-01,12,120,10%,5.5\n` },
  ]);
  expect(await figuresOf(packed)).toHaveLength(2);
});

test.for([
  'Популярные запросы,Kлики,Показы,CTR,Позиция',
  'En çok yapılan sorgular,Tıklamalar,Gösterimler,TO,Konum',
  'Consultes principals,Clics,Impressions,CTR,Posició',
  '인기 검색어,클릭수,노출,CTR,게재 순위',
  '熱門查詢項目,點擊,曝光,點閱率,排名',
  '热门查询,点击次数,展示,点击率,排名',
  'השאילתות המובילות,קליקים,חשיפות,CTR,מיקום',
  'Vanligaste sökfrågorna,Klick,Visningar,Klickfrekvens,Genomsnittlig position',
  'Consultas principales,Clics,Impresiones,CTR,Posición media',
  'Principais consultas,Cliques,Impressões,CTR,Posição',
  'Query più frequenti,Clic,Impressioni,CTR,Posizione',
  'Najczęstsze zapytania,Kliknięcia,Wyświetlenia,CTR,Pozycja',
])('figures are identified by name: %s', async (header) => {
  // Nothing here is a proof.
  expect(await figuresOf(`${header}\ntea,0,3,0%,9\n`)).toEqual([[0n, 3n, 9]]);
});

test('a query that is a URL is a query, and a broken cell is one reject', async () => {
  const header = 'Top queries,Clicks,Impressions,CTR,Position';
  expect(await figuresOf(`${header}\nhttps://e.example/,1,2,50%,3\n`)).toEqual([[1n, 2n, 3]]);
  expect(await figuresOf(`${header}\ntea,1,2,50%,Aug 25\npot,1,3,33.33%,3.5\n`)).toEqual([
    [1n, 3n, 3.5],
    ['position: "Aug 25" is not a number'],
  ]);
});

test.for([
  ['12.000,150.000,8.00%,5.250', 'point', [12n, 150n, 5.25]],
  ['12.000,150.000,"8,00%","5,250"', 'comma', [12_000n, 150_000n, 5.25]],
  ['1.234,12.340,10%,"1,5"', 'comma', [1234n, 12_340n, 1.5]],
  ['"1,234","12,340",10%,1.5', 'point', [1234n, 12_340n, 1.5]],
  ['12.000,150.000,8%,5.250', 'point', [12n, 150n, 5.25]],
] as const)('a table has one decimal separator, which its figures prove: %j', async ([cells, , figures]) => {
  expect(await figuresOf(`Top queries,Clicks,Impressions,CTR,Position\ntea,${cells}\n`)).toEqual([figures]);
});

test('a table that proves no decimal separator needs an answer', async () => {
  const table = 'date,page,clicks,impressions\n2026-11-01,https://e.example/,12.000,150.000\n';
  await expect(figuresOf(table)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('"12.000" may be 12 or 12000, and no row shows which'),
    hint: expect.stringContaining('--decimal point or --decimal comma'),
  });
  expect(await figuresOf(table, { mark: 'point' })).toEqual([[12n, 150n, null]]);
  expect(await figuresOf(table, { mark: 'comma' })).toEqual([[12_000n, 150_000n, null]]);
});

test('with any decimal separator, numbers are read back, also next to one broken cell', async () => {
  const row = fc.record({
    clicks: fc.integer({ min: 0, max: 90_000 }),
    more: fc.integer({ min: 1, max: 900_000 }),
    position: fc.integer({ min: 1000, max: 90_000 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('en-US', 'de-DE', 'en-IN', 'tr-TR', 'de-CH', 'fr-FR'),
      fc.boolean(),
      async (rows, locale, isBroken) => {
        const number = (value: number, digits: number): string =>
          `"${value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })}"`;
        const lines = rows.map(({ clicks, more, position }, at) => {
          const impressions = clicks + more;
          const rate = number((100 * clicks) / impressions, 2).replace(/"$/, ' %"');
          return `q${at},${number(clicks, 0)},${number(impressions, 0)},${rate},${number(position / 1000, 3)}`;
        });
        if (isBroken) lines.push('broken,Aug 25,100,1 %,Aug 25');
        const found = await figuresOf(`Top queries,Clicks,Impressions,CTR,Position\n${lines.join('\n')}\n`);
        expect(found.slice(0, rows.length)).toEqual(
          rows.map(({ clicks, more, position }) => [BigInt(clicks), BigInt(clicks + more), position / 1000]),
        );
      },
    ),
    { numRuns: runs(60) },
  );
});

const RANGE = plausibleTime(Date.UTC(2026, 10, 28));

test.for([
  ['2569-11-10', '2569-11-10 is not from 1995-01-01 to 2026-11-30; 2026 is 2569 in the Buddhist calendar'],
  ['1448-06-05', '2026 is 1448 in the Hijri calendar'],
  ['0026-11-10', '2026 is 26 in two digits'],
  ['1994-12-31', '1994-12-31 is not from 1995-01-01 to 2026-11-30'],
  ['2026-12-01', '2026-12-01 is not from'],
] as const)('an implausible day is a reject: %s', async ([day, reason]) => {
  const rows = ['2026-11-30', '1995-01-01', day].map((one) => `${one},https://e.example/,1,2\n`);
  const found = await figuresOf(`date,page,clicks,impressions\n${rows.join('')}`, { range: RANGE });
  expect(found).toEqual([[1n, 2n, null], [1n, 2n, null], [expect.stringContaining(reason)]]);
  const record = { date: day, page: 'https://e.example/', clicks: 1, impressions: 2 };
  expect(await figuresOf(JSON.stringify([record]), { range: RANGE })).toEqual([
    [expect.stringContaining(reason)],
  ]);
  const dates = `Date,Clicks,Impressions,CTR,Position\n${day},1,2,50%,3\n`;
  await expect(figuresOf(dates, { range: RANGE })).rejects.toThrow(`line 2: date: `);
});

const RECORD = { date: '2026-11-01', page: 'https://e.example/', query: 'tea', clicks: 3, impressions: 30 };
test.for([
  ['records', [{ ...RECORD, position: 2.5 }]],
  ['texts', [{ ...RECORD, clicks: '3', impressions: '30', position: '2.5' }]],
  ['an answer', { rows: [{ ...RECORD, position: 2.5 }] }],
  ['lines', null],
  [
    'the bulk export',
    [
      {
        data_date: '2026-11-01',
        url: 'https://e.example/',
        clicks: '3',
        impressions: '30',
        sum_position: 45.0,
      },
    ],
  ],
] as const)('JSON records are read by their key names: %s', async ([, document]) => {
  const line = JSON.stringify({ position: 2.5, ...RECORD });
  expect(await figuresOf(document === null ? `${line}\n` : JSON.stringify(document))).toEqual([
    [3n, 30n, 2.5],
  ]);
});

test('JSON records of another report are refused by name, in any key order', async () => {
  await expect(figuresOf(JSON.stringify([{ ...RECORD, cost: 3 }]))).rejects.toThrow('an advertising account');
  const { date, ...rest } = RECORD;
  expect(await figuresOf(JSON.stringify([{ ...rest, position: null, date }, { ...RECORD }]))).toEqual([
    [3n, 30n, null],
    [3n, 30n, null],
  ]);
});

test('a response with any number of rows is read', async () => {
  const row = { keys: ['2026-11-01', 'https://e.example/'], clicks: 1, impressions: 2, position: 3 };
  expect(await figuresOf(JSON.stringify({ rows: Array.from({ length: 150_000 }, () => row) }))).toHaveLength(
    150_000,
  );
});

test('concatenated tables are one table, without the second header', async () => {
  const table = 'Top queries,Clicks,Impressions,CTR,Position\ntea,3,30,10%,2.5\n';
  expect(await figuresOf(table + table.replace('tea', 'pot'))).toEqual([
    [3n, 30n, 2.5],
    [3n, 30n, 2.5],
  ]);
});

test('days that Search Console had not finished are provisional', async () => {
  const path = join(await temporaryFolder(), 'a.json');
  const rows = [{ keys: ['2026-11-26', 'https://e.example/'], clicks: 1, impressions: 2, position: 3 }];
  await writeFile(path, JSON.stringify({ rows, metadata: { first_incomplete_date: '2026-11-25' } }));
  const [source] = await readDemand([path], { period: null, dimensions: null }, signal);
  expect([source?.provisionalFrom, source?.notes]).toEqual([
    '2026-11-25',
    ['The days from 2026-11-25 are provisional: Search Console had not finished counting them.'],
  ]);
});
