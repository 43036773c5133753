import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../../src/core/text/json.ts';
import { field, importFolder, lines, parseCsv, sharedService } from '../../support.ts';

/** Names that a careless server would mix up, misquote or lose. */
const NAMES = [
  'Title',
  'title',
  'TITLE',
  'page_group_casino main',
  'a"b',
  'semi;colon',
  "it's",
  'ä€😀',
  'a/b~c',
  '$.x',
  'new\nline',
];

/** Values as JSON text, each to come back as the same value in a field of any type. */
const VALUES = [
  '0',
  '-1',
  '3.7',
  '3112553.0',
  '0.1',
  '1e-7',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '123456789012345678901234567890',
  '-170141183460469231731687303715884105729',
  'true',
  'false',
  'null',
  '""',
  '" "',
  '"null"',
  '"true"',
  '"42"',
  '"NaN"',
  '"a;b"',
  '"say \\"hi\\""',
  '"line\\nbreak\\r\\nand\\ttab"',
  '"\\u0001\\u001f\\u007f\\u2028"',
  '"\\ud83d\\ude00 é ß 漢字"',
  '"\\\\ / \\\\n"',
  '"[1]"',
  '"{}"',
  '[]',
  '[1,2]',
  '[[1],[2]]',
  '["a;b","c\\"d","e\\nf"]',
  '["",null]',
  '{}',
  '{"b":1,"a":{"c":[null,"x;\\n",2.5]},"":"empty key"}',
];
const TYPES = ['natural', 'float', 'bool', 'string', 'enum', 'datetime', 'object', 'nested', 'percentage'];

/** A value in one spelling, whole numbers with all their digits. */
function meaning(text: string): string {
  return stringifyJson(parseJson(text));
}

const mixed = TYPES.map((type) => field(`as ${type}`, type));
const many = ['string', 'natural', 'nested'].map((type) => field(`many ${type}`, type, 'many'));
const hostile = await importFolder('hostile-2025-03-01', {
  pages: {
    fields: [...mixed, ...many],
    rows: VALUES.map((value) => {
      const list = value.startsWith('[') || value === 'null' ? value : `[${value}]`;
      const cells = [
        ...mixed.map(({ name }) => `${JSON.stringify(name)}:${value}`),
        ...many.map(({ name }) => `${JSON.stringify(name)}:${list}`),
      ];
      return `{${cells.join(',')}}`;
    }),
  },
  links: {
    fields: NAMES.map((name) => field(name, 'string')),
    rows: [Object.fromEntries(NAMES.map((name, index) => [name, `value ${index}`]))],
  },
});
/** One column a value, so that each is stored in the type that fits it best. */
const pure = await importFolder('pure-2025-03-01', {
  pages: {
    fields: VALUES.map((_, index) => field(`v${index}`, 'string')),
    rows: [`{${VALUES.map((value, index) => `"v${index}":${value}`).join(',')}}`],
  },
});
const it = await sharedService({ importDirs: [hostile, pure] });
const [first, second] = await it.crawls();
const crawlOf = async (columns: number): Promise<string> => {
  for (const crawl of [first, second]) {
    const fields = (await it.api(`/data/crawl/${crawl?.id}/pages/fields`)).json.fields as unknown[];
    if (fields.length === columns) return String(crawl?.id);
  }
  throw new Error('no such crawl');
};
const mixedCrawl = await crawlOf(mixed.length + many.length);
const pureCrawl = await crawlOf(VALUES.length);

/** The values of a JSON object, by name. */
function cells(line: string): Map<string, string> {
  const row = parseJson(line) as Record<string, unknown>;
  return new Map(Object.entries(row).map(([name, value]) => [name, stringifyJson(value)]));
}

test('every value of every type survives a round trip through JSONL', async () => {
  const rows = lines((await it.export(mixedCrawl, 'pages', 'json')).text).map(cells);
  VALUES.forEach((value, row) => {
    for (const { name } of mixed) expect(rows[row]?.get(name), `${name} ${value}`).toBe(meaning(value));
  });
});

test('a many-valued field is exported as a single value, an array or null', async () => {
  const rows = lines((await it.export(mixedCrawl, 'pages', 'json')).text).map(cells);
  VALUES.forEach((value, row) => {
    for (const { name } of many) expect(rows[row]?.get(name), `${name} ${value}`).toBe(meaning(value));
  });
});

test('a column with one kind of value survives a round trip', async () => {
  const [row] = lines((await it.export(pureCrawl, 'pages', 'json')).text).map(cells);
  for (const [index, value] of VALUES.entries()) expect(row?.get(`v${index}`), value).toBe(meaning(value));
});

test.each([
  ['mixed', mixedCrawl, mixed.map(({ name }) => name), VALUES.length],
  ['pure', pureCrawl, VALUES.map((_, index) => `v${index}`), 1],
])('CSV distinguishes the values of %s columns', async (_name, crawl, names, count) => {
  const [header, ...rows] = parseCsv((await it.export(crawl, 'pages', 'csv')).text);
  expect(rows).toHaveLength(count);
  rows.forEach((row, index) => {
    for (const name of names) {
      const value = VALUES[count === 1 ? names.indexOf(name) : index] ?? '';
      const cell = row[header?.indexOf(name) ?? -1] ?? null;
      if (value === 'null') expect(cell).toBeNull();
      else if (value === 'true' || value === 'false') expect(cell).toBe(value === 'true' ? 'True' : 'False');
      else if (value.startsWith('"')) expect(cell).toBe(JSON.parse(value));
      else expect(meaning(cell ?? ''), `${name} ${value}`).toBe(meaning(value));
    }
  });
});

test('a search returns the same values', async () => {
  const raw = '{"limit":100}';
  const { text } = await it.api(`/data/crawl/${pureCrawl}/pages`, { raw });
  const row = text.slice(text.indexOf('"urls":[') + 8, -2);
  const found = cells(row);
  for (const [index, value] of VALUES.entries()) expect(found.get(`v${index}`), value).toBe(meaning(value));
});

test('names that differ only in case, or contain any characters, stay separate', async () => {
  const [line] = lines((await it.export(mixedCrawl, 'links', 'json')).text);
  expect(JSON.parse(line ?? '')).toEqual(
    Object.fromEntries(NAMES.map((name, index) => [name, `value ${index}`])),
  );
  const [header, row] = parseCsv((await it.export(mixedCrawl, 'links', 'csv')).text);
  expect(header).toEqual(NAMES);
  expect(row).toEqual(NAMES.map((_, index) => `value ${index}`));
  const hits = await it.search(mixedCrawl, 'links', {
    oql: { field: ['TITLE', 'equals', 'value 2'] },
    fields: ['Title'],
  });
  expect(hits.json.urls).toEqual([{ Title: 'value 0' }]);
});
