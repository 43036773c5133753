import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DemandExport, DemandRecord } from '../../../src/site/search-data/demand-row.ts';
import { type DemandOptions, readDemand } from '../../../src/site/search-data/read-demand.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { zipFile } from '../../support/zip-file.ts';

const signal = new AbortController().signal;
const NOTHING: DemandOptions = { period: null, dimensions: null };

async function written(files: Readonly<Record<string, string | Uint8Array>>): Promise<string[]> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return Object.keys(files).map((name) => join(folder, name));
}

async function exportsOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<DemandOptions> = {},
): Promise<DemandExport[]> {
  return await readDemand(await written(files), { ...NOTHING, ...options }, signal);
}

/** The records of an export by the dimensions of their tables. */
async function recordsOf(source: DemandExport | undefined): Promise<Record<string, DemandRecord[]>> {
  const found: Record<string, DemandRecord[]> = {};
  for (const table of source?.tables ?? []) {
    const by = table.dimensions.join(', ');
    found[by] = [...(found[by] ?? []), ...(await Array.fromAsync(table.records(signal)))];
  }
  return found;
}

/** The rows in short: what they are counted by, then clicks, impressions and position. */
function short(records: readonly DemandRecord[] | undefined): string[] {
  return (records ?? []).map((record) => {
    if ('reject' in record) return `${record.reject.line}: ${record.reject.reason}`;
    if ('other' in record) return `other: ${record.other.searchType}`;
    if ('total' in record) return `${record.total.line}: total`;
    const { date, url, query, device, country, clicks, impressions, position } = record.row;
    const by = [date, url, query, device, country].filter((one) => one !== null).join(' ');
    return `${by}|${clicks}|${impressions}|${position}`;
  });
}

const GERMAN = {
  'Suchanfragen.csv':
    'Häufigste Suchanfragen,Klicks,Impressionen,CTR,Position\nbüro mieten,9,300,"3,0 %","6,1"\n"a ""b"", c",1,20,"5 %",8\n',
  'Seiten.csv':
    'Häufigste Seiten,Klicks,Impressionen,CTR,Position\nhttps://example.com/a,12,400,"3 %","4,2"\n',
  'Länder.csv':
    'Land,Klicks,Impressionen,CTR,Position\nDeutschland,10,300,"3,33 %",5\nÖsterreich,2,100,"2 %",7\n',
  'Geräte.csv': 'Gerät,Klicks,Impressionen,CTR,Position\nComputer,7,200,"3,5 %",5\nMobil,5,200,"2,5 %",6\n',
  'Darstellung in der Suche.csv':
    'Darstellung in der Suche,Klicks,Impressionen,CTR,Position\nVideos,1,2,"50 %",3\n',
  'Diagramm.csv':
    'Datum,Klicks,Impressionen,CTR,Position\n2026-11-02,7,200,"3,5 %","5,5"\n2026-11-01,5,200,"2,5 %","5,5"\n',
  'Filter.csv': 'Filter,Wert\nSuchtyp,Web\nDatum,Letzte 28 Tage\n',
};
const JAPANESE = {
  '1.csv': '上位のクエリ,クリック数,表示回数,CTR,掲載順位\n検索,3,30,10%,2.5\n',
  '2.csv': '上位のページ,クリック数,表示回数,CTR,掲載順位\nhttps://example.com/,3,30,10%,2.5\n',
  '3.csv': '国,クリック数,表示回数,CTR,掲載順位\n日本,3,30,10%,2.5\nアメリカ合衆国,0,1,0%,9\n',
  '4.csv': 'デバイス,クリック数,表示回数,CTR,掲載順位\nモバイル,2,20,10%,2.5\nパソコン,1,10,10%,2.5\n',
  '5.csv': '日付,クリック数,表示回数,CTR,掲載順位\n2026-11-01,3,30,10%,2.5\n',
};
const TURKISH = {
  'Ülkeler.csv': 'Ülke,Tıklamalar,Gösterimler,TO,Konum\nTürkiye,1.234,12.340,%10,"1,5"\nAlmanya,0,3,%0,9\n',
  'Tarihler.csv': 'Tarih,Tıklamalar,Gösterimler,TO,Konum\n2026-11-01,1.234,12.343,%10,"1,5"\n',
};

test('an export of the web page is read in any language, zipped or not', async () => {
  for (const files of [
    { 'export.zip': zipFile(Object.entries(GERMAN).map(([name, content]) => ({ name, content }))) },
    GERMAN,
  ]) {
    const [source, ...more] = await exportsOf(files);
    expect(more).toEqual([]);
    expect(source).toMatchObject({
      format: 'search_console_page',
      engine: 'google',
      period: { from: '2026-11-01', to: '2026-11-02' },
    });
    expect(source?.notes).toEqual([
      expect.stringContaining('Darstellung in der Suche.csv is by search appearance and is left out.'),
      'The export has these filters: Suchtyp: Web; Datum: Letzte 28 Tage.',
    ]);
    const records = await recordsOf(source);
    expect(Object.fromEntries(Object.entries(records).map(([by, all]) => [by, short(all)]))).toEqual({
      query: ['büro mieten|9|300|6.1', 'a "b", c|1|20|8'],
      url: ['https://example.com/a|12|400|4.2'],
      country: ['deu|10|300|5', 'aut|2|100|7'],
      device: ['desktop|7|200|5', 'mobile|5|200|6'],
      date: ['2026-11-02|7|200|5.5', '2026-11-01|5|200|5.5'],
    });
  }
  const [japanese] = await exportsOf(JAPANESE);
  const records = await recordsOf(japanese);
  expect(Object.values(records).map(short)).toEqual([
    ['検索|3|30|2.5'],
    ['https://example.com/|3|30|2.5'],
    ['jpn|3|30|2.5', 'usa|0|1|9'],
    ['mobile|2|20|2.5', 'desktop|1|10|2.5'],
    ['2026-11-01|3|30|2.5'],
  ]);
  const [turkish] = await exportsOf(TURKISH);
  expect(short((await recordsOf(turkish)).country)).toEqual(['tur|1234|12340|1.5', 'deu|0|3|9']);
});

test('totals without a table by date need days, and a table by date defines the period', async () => {
  const { 'Seiten.csv': pages, 'Diagramm.csv': dates } = GERMAN;
  await expect(exportsOf({ 'Seiten.csv': pages })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('Seiten.csv has totals by url, but no table by date shows the days'),
    hint: expect.stringContaining('--from 2026-10-01 --to 2026-11-01'),
  });
  const period = { from: '2026-10-01', to: '2026-10-31' };
  const [given] = await exportsOf({ 'Seiten.csv': pages }, { period });
  expect(given?.period).toEqual(period);
  const [told] = await exportsOf({ 'Seiten.csv': pages, 'Diagramm.csv': dates }, { period });
  expect(told?.period).toEqual({ from: '2026-11-01', to: '2026-11-02' });
});

test.each([
  ['Filter,Value\nSearch type,Image\nDate,Last 28 days\n', 'Search type: Image'],
  ['Filter,Value\nSearch type,Web\nQuery,+brand\nDate,Last day\n', 'Query: +brand'],
  ['Filter,Wert\nSuchtyp,Bild\nDatum,Letzte 28 Tage\n', 'Suchtyp: Bild'],
  ['Filtre,Valeur\nType de recherche,Web\nPage,*/blog/*\nDate,28 derniers jours\n', 'Page: */blog/*'],
  ['Filter,Value\nSearch type,Web\nCountry,France\nDevice,Mobile\n', 'Country: France; Device: Mobile'],
  ['Filter,Value\nSearch type,News\n', 'Search type: News'],
  ['フィルタ,値\n検索タイプ,画像\n日付,過去 28 日間\n', '検索タイプ: 画像'],
])('a partial export of web search is refused: %j', async (filters, part) => {
  const files = { ...GERMAN, 'Filter.csv': filters };
  const packed = zipFile(Object.entries(files).map(([name, content]) => ({ name, content })));
  for (const given of [files, { 'export.zip': packed }])
    await expect(exportsOf(given)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`has only a part of web search (${part})`),
    });
});

test.each([
  'Filter,Value\nSearch type,Web\nDate,Last 3 months\n',
  '필터,값\n검색 유형,웹\n날짜,지난 28일\n',
  'Filtr,Wartość\nTyp wyszukiwania,Internet\nData,Ostatnie 28 dni\n',
])('a complete export of web search is read: %j', async (filters) => {
  expect(await exportsOf({ ...GERMAN, 'Filter.csv': filters })).toHaveLength(1);
});

test('a Discover export, which has no positions, is refused', async () => {
  const files = {
    'Chart.csv': 'Date,Clicks,Impressions,CTR\n2026-11-01,3,30,10%\n',
    'Pages.csv': 'Top pages,Clicks,Impressions,CTR\nhttps://example.com/a,3,30,10%\n',
  };
  await expect(exportsOf(files)).rejects.toMatchObject({
    message: expect.stringContaining('it is from Discover or Google News'),
  });
});

test('days rewritten by a spreadsheet are parsed, in the proven or given order', async () => {
  const dates = (...days: readonly string[]) => ({
    'Chart.csv': `Date,Clicks,Impressions,CTR,Position\n${days.map((day) => `${day},10,100,10%,2`).join('\n')}\n`,
  });
  const [proven] = await exportsOf(dates('7/1/2026', '7/2/2026', '7/3/2026'));
  expect(proven?.period).toEqual({ from: '2026-07-01', to: '2026-07-03' });
  await expect(exportsOf(dates('7/1/2026'))).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('"7/1/2026" may be 2026-01-07 or 2026-07-01'),
  });
  const [given] = await exportsOf(dates('7/1/2026'), { dayOrder: 'mdy' });
  expect(given?.period).toEqual({ from: '2026-07-01', to: '2026-07-01' });
  const [named] = await exportsOf({
    'table.csv': 'date,page,clicks,impressions\n13.7.2026,https://example.com/a,1,2\n',
  });
  expect(short((await recordsOf(named))['date, url'])).toEqual(['2026-07-13 https://example.com/a|1|2|null']);
});

test('a page has one normalized URL', async () => {
  const [source] = await exportsOf({
    'table.csv': 'date,page,clicks,impressions\n2026-07-13,HTTPS://Example.com/%c3%a9/%7Ea?q=é#part,1,2\n',
  });
  expect(short((await recordsOf(source))['date, url'])).toEqual([
    '2026-07-13 https://example.com/%C3%A9/~a?q=%C3%A9|1|2|null',
  ]);
});

test('Bing exports, which start with impressions, are read', async () => {
  const period = { from: '2026-10-01', to: '2026-10-31' };
  const [source] = await exportsOf(
    {
      'pages.csv': 'Page,Impressions,Clicks,CTR,Avg. Position\nhttps://example.com/,30,3,10.00%,4.50\n',
      'keywords.csv': 'Keyword,Impressions,Clicks,CTR,Avg. Position\nseo,20,2,10.00%,4.50\nbeta,1,0,0.00%,\n',
    },
    { period },
  );
  expect(source).toMatchObject({ format: 'bing_page', engine: 'bing', period });
  expect(Object.values(await recordsOf(source)).map(short)).toEqual([
    ['https://example.com/|3|30|4.5'],
    ['seo|2|20|4.5', 'beta|0|1|null'],
  ]);
  // In another language the order shows in the numbers.
  const [german] = await exportsOf(
    { 'a.csv': 'Seite;Impressionen;Klicks;CTR\nhttps://example.com/;30;3;10 %\n' },
    { period },
  );
  expect(short((await recordsOf(german)).url)).toEqual(['https://example.com/|3|30|null']);
});

const BULK =
  'data_date,site_url,url,query,is_anonymized_query,is_anonymized_discover,country,search_type,device,impressions,clicks,sum_position\n';

test('the bulk export has summed positions from 0, anonymized queries, and other search types', async () => {
  const rows = [
    '2026-11-01,sc-domain:example.com,https://example.com/a,"shoes, red",false,false,fra,WEB,MOBILE,4,1,10',
    '2026-11-01,sc-domain:example.com,https://example.com/a,,true,false,fra,WEB,DESKTOP,2,0,0',
    '2026-11-01,sc-domain:example.com,https://example.com/a,cat,false,false,fra,IMAGE,DESKTOP,2,0,0',
    '2026-11-01,sc-domain:example.com,,,false,true,zzz,DISCOVER,,2,0,',
    '2026-11-01,sc-domain:example.com,,,true,false,fra,WEB,DESKTOP,2,0,0',
    '2026-02-30,sc-domain:example.com,https://example.com/a,cat,false,false,fra,WEB,DESKTOP,2,0,0',
    '2026-11-01,sc-domain:example.com,https://example.com/a,cat,false,false,fra,WEB,DESKTOP,2,-1,0',
    '2026-11-01,too short',
  ];
  const [source] = await exportsOf({ 'url.csv': BULK + rows.join('\n') });
  expect(source).toMatchObject({ format: 'search_console_bulk', period: null });
  const records = (await recordsOf(source))['date, url, query, device, country'];
  expect(short(records)).toEqual([
    '2026-11-01 https://example.com/a shoes, red mobile fra|1|4|3.5',
    '2026-11-01 https://example.com/a desktop fra|0|2|1',
    'other: image',
    'other: discover',
    '6: url: "" is not a URL',
    '7: date: "2026-02-30" is not a day',
    '8: clicks: "-1" is not a whole number below 2^63',
    '9: it has 2 cells, the header has 12',
  ]);
  expect(records?.map((one) => 'row' in one && one.row.isAnonymized)).toEqual([
    false,
    true,
    ...Array(6).fill(false),
  ]);
});

test('the tables of the bulk export are one export, whose totals are those of the site', async () => {
  const site = BULK.replace('url,', '')
    .replace('sum_position', 'sum_top_position')
    .replace('is_anonymized_discover,', '');
  const [source, ...more] = await exportsOf({
    'url-1.csv': `${BULK}2026-11-01,s,https://example.com/a,q,false,false,fra,WEB,MOBILE,4,1,10\n`,
    'url-2.csv': `${BULK}2026-11-01,s,https://example.com/b,q,false,false,fra,WEB,MOBILE,4,1,10\n`,
    'site.csv': `${site}2026-11-01,s,q,false,fra,WEB,MOBILE,5,2,10\n`,
  });
  expect(more).toEqual([]);
  expect(source?.tables.map(({ dimensions }) => dimensions.join(' '))).toEqual([
    'date url query device country',
    'date url query device country',
    'date query device country',
  ]);
});

test('API responses are read, with dimensions from the keys or given', async () => {
  const answer = (keys: readonly string[]) => ({ keys, clicks: 1, impressions: 10, ctr: 0.1, position: 2.5 });
  const rows = [answer(['2026-11-01', 'https://example.com/', 'shoes', 'MOBILE', 'fra'])];
  const forms = [
    JSON.stringify({ rows, responseAggregationType: 'byPage' }),
    JSON.stringify(rows),
    JSON.stringify([{ rows }, { responseAggregationType: 'byPage' }], null, 2),
    `${JSON.stringify({ rows })}\n${JSON.stringify({ responseAggregationType: 'byPage' })}\n`,
  ];
  for (const form of forms) {
    const [source] = await exportsOf({ 'a.json': form });
    expect(source).toMatchObject({ format: 'search_console_api', period: null });
    expect(short(Object.values(await recordsOf(source))[0])).toEqual([
      '2026-11-01 https://example.com/ shoes mobile fra|1|10|2.5',
    ]);
  }
  const pages = JSON.stringify({ rows: [answer(['https://example.com/'])] });
  await expect(exportsOf({ 'a.json': pages })).rejects.toMatchObject({
    message: expect.stringContaining('has totals by url, but no table by date'),
  });
  const huge =
    '{"rows":[{"keys":["2026-11-01","https://e.example/"],"clicks":9007199254740993,"impressions":9007199254740995,"position":1e-7}]}';
  const [source] = await exportsOf({ 'a.json': huge });
  expect(short(Object.values(await recordsOf(source))[0])).toEqual([
    '2026-11-01 https://e.example/|9007199254740993|9007199254740995|0',
  ]);
});

test.each([
  [{ rows: [{ keys: ['usa'], clicks: 1, impressions: 2 }] }, null, 'do not show their dimensions'],
  [{ rows: [{ keys: ['a', 'b'], clicks: 1, impressions: 2 }] }, null, 'do not show their dimensions'],
  [{ rows: [{ keys: ['AMP_BLUE_LINK'], clicks: 1, impressions: 2 }] }, null, 'searchAppearance'],
  [
    { rows: [{ keys: ['2026-11-01'], clicks: 1, impressions: 2 }] },
    ['date', 'url'],
    'has 1 keys, but --dimensions has 2',
  ],
  [
    { rows: [{ keys: ['q'], clicks: 'x', impressions: 2 }] },
    null,
    'is not a response of searchAnalytics.query: rows.0.clicks',
  ],
  [{ error: { code: 403 } }, null, 'is not a response of searchAnalytics.query'],
] as const)(
  'a response without recognizable dimensions, or not from the API, is refused: %#',
  async (answer, dimensions, words) => {
    await expect(exportsOf({ 'a.json': JSON.stringify(answer) }, { dimensions })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(words),
    });
  },
);

test.each([
  [{ 'a.csv': '' }, 'it is empty'],
  [{ 'a.csv': 'name,value\nx,1\n' }, 'it has no clicks and impressions'],
  [{ 'a.csv': 'a,b,c,d,e,f\nx,1,2,3,4,5\n' }, 'its columns "b", "c", "d", "e", "f" have no known names'],
  [{ 'a.csv': 'Query,A,B\nx,1,2\ny,3,1\n' }, 'its columns "A", "B" have no known names'],
  [{ 'a.xlsx': zipFile([{ name: 'xl/workbook.xml', content: '<x/>' }]) }, 'it is a spreadsheet'],
  [{ 'a.xls': new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 1]) }, 'it is a spreadsheet'],
  [
    { 'a.zip': zipFile([{ name: 'readme.txt', content: 'hello,there\n1,2\n' }]) },
    'no member is a table of search results',
  ],
  [{ 'a.gz': new Uint8Array([0x1f, 0x8b, 8]) }, 'compressed by gzip'],
  [{ 'a.parquet': 'PAR1xxxx' }, 'is not a readable Parquet file'],
  [{ 'a.json': '{"rows": [' }, 'is not a response of searchAnalytics.query'],
  [{ 'a.csv': GERMAN['Suchanfragen.csv'], 'b.csv': JAPANESE['1.csv'] }, 'both look like totals by query'],
])('an unknown file is refused with the accepted kinds: %#', async (files, words) => {
  const period = { from: '2026-10-01', to: '2026-10-31' };
  await expect(exportsOf(files, { period })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(words),
  });
});

test('a fraction is not a number of clicks, nor a number of thousands', async () => {
  const row = '{"keys":["2026-11-01","https://a.example/"],"clicks":1.234,"impressions":2000,"position":1}';
  const [source] = await exportsOf({ 'a.json': `{"rows":[${row},${row.replace('1.234', '12.0')}]}` });
  expect(short(Object.values(await recordsOf(source))[0])).toEqual([
    'null: clicks: "1.234e+0" is not a whole number below 2^63',
    '2026-11-01 https://a.example/|12|2000|1',
  ]);
});

test('a missing file is named, and the same content counts once', async () => {
  await expect(readDemand(['/nowhere/a.csv'], NOTHING, signal)).rejects.toMatchObject({
    code: 'usage',
    message: 'there is no file /nowhere/a.csv',
  });
  const dates = GERMAN['Diagramm.csv'];
  const [source] = await exportsOf({ 'a.csv': dates, 'b.csv': dates });
  expect(source?.tables).toHaveLength(1);
});
