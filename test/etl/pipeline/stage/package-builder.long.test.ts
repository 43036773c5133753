import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { Connection, text } from '../../../../src/core/duckdb/duckdb.ts';
import { stringifyJson } from '../../../../src/core/text/json.ts';
import { writeParts } from '../../../../src/etl/pipeline/routes/download/write-parts.ts';
import { stagingConnections } from '../../../../src/etl/pipeline/stage/macros.ts';
import { PackageBuilder, type PackageContent } from '../../../../src/etl/pipeline/stage/package-builder.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';
import { packageFingerprint } from '../../../support/package-fingerprint.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import '../../../support/process-timeout.ts';

const signal = new AbortController().signal;

function field(name: string, type: string, arity: 'one' | 'many' = 'one'): Field {
  return { name, type, arity };
}

interface Staged extends PackageContent {
  readonly rows: Record<string, unknown>[];
  readonly rejectRows: Record<string, unknown>[];
}

/** Takes bytes through the raw parts and the package, and reads the package back. */
async function stage(
  format: 'csv' | 'json',
  bytes: string | Buffer,
  requested: Field[],
  partBytes = 1 << 25,
): Promise<Staged> {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  await mkdir(join(folder, 'raw'));
  const builder = await PackageBuilder.create(
    stagingConnections(async () => connection),
    folder,
    requested,
  );
  const options = {
    folder: join(folder, 'raw'),
    format,
    file: format === 'csv' ? 'pages.csv' : 'pages.jsonl',
    partBytes,
  };
  const parts = writeParts(Readable.from(pieces(Buffer.from(bytes), partBytes)), options);
  let header: readonly string[] | null = null;
  for (;;) {
    const next = await parts.next();
    if (next.done) {
      header = next.value;
      break;
    }
    await builder.addPart(next.value, signal);
  }
  const staged = await builder.finish(header, signal);
  const files = staged.parts.map((part) => join(folder, part.file));
  expect(staged.fingerprint.sum).toBe(await packageFingerprint(connection, files, staged.columns));
  return {
    ...staged,
    rows: await readBack(connection, files),
    rejectRows: await readBack(
      connection,
      staged.rejects.map(({ file }) => join(folder, file)),
    ),
  };
}

/** The bytes as they might come from a socket, cut anywhere. */
function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readBack(connection: Connection, files: string[]): Promise<Record<string, unknown>[]> {
  if (files.length === 0) return [];
  const values = "COLUMNS(name -> name <> '_row_hash')";
  const rows = await connection.jsonRows(
    `SELECT ${values} FROM read_parquet([${files.map(text).join(', ')}])`,
  );
  return rows.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

/** Field and value of each reject, line by line. */
const rejectsOf = ({ rejectRows }: Staged): unknown[][] =>
  rejectRows.toSorted((a, b) => Number(a.line) - Number(b.line)).map(({ field, value }) => [field, value]);

const jsonl = (...rows: unknown[]): string => rows.map((row) => `${stringifyJson(row)}\n`).join('');

test('a single value, an array, an empty array and null are staged in a field of arity many', async () => {
  const requested = [
    field('id', 'natural'),
    field('sources', 'string', 'many'),
    field('depths', 'natural', 'many'),
  ];
  const rows = [
    { id: '1', sources: ['a'], depths: ['1'] },
    { id: '2', sources: ['a', 'b'], depths: ['1', '2'] },
    { id: '3', sources: [], depths: [] },
    { id: '4', sources: null, depths: null },
    { id: '5', sources: ['', null], depths: [null, '7'] },
  ];
  const byJson = await stage(
    'json',
    jsonl(
      { id: 1, sources: 'a', depths: 1 },
      { id: 2, sources: ['a', 'b'], depths: [1, 2.0] },
      { id: 3, sources: [], depths: [] },
      { id: 4, sources: null, depths: null },
      { id: 5, sources: ['', null], depths: [null, 7] },
    ),
    requested,
  );
  const byCsv = await stage(
    'csv',
    'id;sources;depths\n1;a;1\n2;"[""a"",""b""]";[1,2.0]\n3;[];[]\n4;;\n5;"["""",null]";[null,7]\n',
    requested,
  );
  expect(byJson.rows).toEqual(rows);
  expect(byCsv.rows).toEqual(rows);
});

test('an empty string and null stay different in both formats', async () => {
  const requested = [field('id', 'natural'), field('title', 'string')];
  const rows = [
    { id: '1', title: '' },
    { id: '2', title: null },
    { id: '3', title: 'null' },
    { id: '4', title: 'NA' },
  ];
  const byJson = await stage(
    'json',
    jsonl({ id: 1, title: '' }, { id: 2, title: null }, { id: 3, title: 'null' }, { id: 4, title: 'NA' }),
    requested,
  );
  const byCsv = await stage('csv', 'id;title\n1;""\n2;\n3;null\n4;NA\n', requested);
  expect(byJson.rows).toEqual(rows);
  expect(byCsv.rows).toEqual(rows);
});

test('an integer written as a float is accepted, a fraction is a reject with file, line, field and value', async () => {
  const requested = [field('url', 'string'), field('clicks', 'natural')];
  for (const [format, bytes] of [
    ['json', '{"url":"a","clicks":3112553.0}\n{"url":"b","clicks":3.7}\n{"url":"c","clicks":12}\n'],
    ['csv', 'url;clicks\na;3112553.0\nb;3.7\nc;12\n'],
  ] as const) {
    const staged = await stage(format, bytes, requested);
    expect(staged.rows).toEqual([
      { url: 'a', clicks: '3112553' },
      { url: 'c', clicks: '12' },
    ]);
    expect(staged.rejected).toBe(1);
    expect(staged.rejectRows).toEqual([
      {
        file: format === 'csv' ? 'pages.csv' : 'pages.jsonl',
        line: format === 'csv' ? '3' : '2',
        field: 'clicks',
        value: '3.7',
        reason: 'is not a whole number in range (natural)',
      },
    ]);
  }
});

test('an integer beyond 2^63 widens its column in every part, including earlier ones', async () => {
  const requested = [field('simhash', 'natural'), field('n', 'natural')];
  const rows = [
    { simhash: 1, n: 1 },
    { simhash: 9223372036854775807n, n: 2 },
    { simhash: 18446744073709551615n, n: 3 },
    { simhash: 99999999999999999999999999999999999999n, n: 4 },
    { simhash: -5, n: 5 },
  ];
  const expected = rows.map((row) => ({ simhash: String(row.simhash), n: String(row.n) }));
  const byJson = await stage('json', jsonl(...rows), requested, 30);
  const byCsv = await stage(
    'csv',
    `simhash;n\n${rows.map((row) => `${row.simhash};${row.n}\n`).join('')}`,
    requested,
    10,
  );
  for (const staged of [byJson, byCsv]) {
    expect(staged.parts.length).toBeGreaterThan(1);
    expect(staged.columns.map((column) => column.sql_type)).toEqual(['DECIMAL(38,0)', 'BIGINT']);
    expect(staged.rows).toEqual(expected.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))));
  }
});

test('an integer beyond 2^53 that was a double is a reject, as digits it is exact', async () => {
  const requested = [field('n', 'natural'), field('x', 'natural')];
  const json = '{"n":9007199254740993.0,"x":1}\n{"n":9007199254740993,"x":2}\n';
  const csv = 'n;x\n9007199254740993.0;1\n9007199254740993;2\n';
  for (const staged of [await stage('json', json, requested), await stage('csv', csv, requested)]) {
    expect(staged.rows).toEqual([{ n: '9007199254740993', x: '2' }]);
    expect(staged.rejected).toBe(1);
  }
});

test('an integer that a double cannot represent is a reject in a float field', async () => {
  for (const [format, bytes] of [
    [
      'json',
      '{"id":1,"r":9007199254740993}\n{"id":2,"r":9007199254740992}\n{"id":3,"r":0.10}\n{"id":4,"r":1e300}\n',
    ],
    ['csv', 'id;r\n1;9007199254740993\n2;9007199254740992\n3;0.10\n4;1e300\n'],
  ] as const) {
    const staged = await stage(format, bytes, [field('id', 'natural'), field('r', 'float')]);
    expect(staged.rows).toEqual([
      { id: '2', r: 9007199254740992 },
      { id: '3', r: 0.1 },
      { id: '4', r: 1e300 },
    ]);
    expect(staged.rejectRows.map((row) => row.value)).toEqual(['9007199254740993']);
  }
});

test('dates and times keep their instant in any zone; invalid ones are rejects', async () => {
  const requested = [field('id', 'natural'), field('at', 'datetime'), field('day', 'date')];
  const values: [string, string][] = [
    ['2025/01/08 14:07:03 UTC', '2025-01-08'],
    ['2025/01/08 14:07:03 Europe/Paris', '2024-02-29'],
    ['2025/01/08 14:07:03 +0200', '2025-01-08'],
    ['2025/01/08 14:07:03 GMT', '2025-01-08'],
    ['2025/02/30 00:00:00 UTC', '2025-01-08'],
    ['2025/01/08 14:07:03 UTC', '2025-02-30'],
    ['2025/01/08 14:07:03 Nowhere', '2025-01-08'],
  ];
  const byJson = await stage('json', jsonl(...values.map(([at, day], id) => ({ id, at, day }))), requested);
  const byCsv = await stage(
    'csv',
    `id;at;day\n${values.map(([at, day], id) => `${id};${at};${day}\n`).join('')}`,
    requested,
  );
  for (const staged of [byJson, byCsv]) {
    expect(staged.rows).toEqual([
      { id: '0', at: '2025-01-08 14:07:03+00', day: '2025-01-08' },
      { id: '1', at: '2025-01-08 13:07:03+00', day: '2024-02-29' },
      { id: '2', at: '2025-01-08 12:07:03+00', day: '2025-01-08' },
      { id: '3', at: '2025-01-08 14:07:03+00', day: '2025-01-08' },
    ]);
    expect(staged.rejectRows.map((row) => [row.line, row.field]).sort()).toEqual(
      (staged === byJson ? ['5', '6', '7'] : ['6', '7', '8']).map((line, index) => [
        line,
        ['at', 'day', 'at'][index],
      ]),
    );
  }
});

test('booleans are accepted in both spellings, objects and unknown types as JSON', async () => {
  const requested = [field('b', 'bool'), field('o', 'object'), field('u', 'nested', 'many')];
  const rows = [
    { b: false, o: '{"a":[1,"x"]}', u: '[5]' },
    { b: true, o: null, u: '["text"]' },
    { b: null, o: '[]', u: '[{"k":1}]' },
  ].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  const byJson = await stage(
    'json',
    '{"b":false,"o":{"a": [1, "x"]},"u":5}\n{"b":true,"o":null,"u":"text"}\n{"b":null,"o":[],"u":[{"k":1}]}\n',
    requested,
  );
  const byCsv = await stage(
    'csv',
    'b;o;u\nFalse;"{""a"": [1, ""x""]}";5\nTrue;;text\n;[];"[{""k"":1}]"\n',
    requested,
  );
  expect(byJson.rows).toEqual(rows);
  expect(byCsv.rows).toEqual(rows);
  expect(byJson.columns.map((column) => column.sql_type)).toEqual(['BOOLEAN', 'JSON', 'JSON']);
});

test('field names with spaces, quotes, semicolons and case differences keep their values', async () => {
  const requested = ['page_group_casino main', "it's", 'a"b', 'a;b', 'Title', 'title', 'back\\slash'].map(
    (name) => field(name, 'string'),
  );
  const byJson = await stage(
    'json',
    jsonl({
      'page_group_casino main': '1',
      "it's": '2',
      'a"b': '3',
      'a;b': '4',
      Title: '5',
      title: '6',
      'back\\slash': '7',
    }),
    requested,
  );
  const byCsv = await stage(
    'csv',
    'page_group_casino main;it\'s;"a""b";"a;b";Title;title;back\\slash\n1;2;3;4;5;6;7\n',
    requested,
  );
  for (const staged of [byJson, byCsv]) {
    const [row] = staged.rows;
    const byField = Object.fromEntries(staged.columns.map((column) => [column.field, row?.[column.column]]));
    expect(byField).toEqual({
      'page_group_casino main': '1',
      "it's": '2',
      'a"b': '3',
      'a;b': '4',
      Title: '5',
      title: '6',
      'back\\slash': '7',
    });
  }
  expect(byJson.columns).toEqual(byCsv.columns);
});

test('a reordered header assigns the values, and a key in some rows becomes a column', async () => {
  const requested = [field('a', 'natural'), field('b', 'string')];
  const byCsv = await stage('csv', 'b;a\nx;1\n', requested);
  expect(byCsv.rows).toEqual([{ a: '1', b: 'x' }]);
  const byJson = await stage('json', '{"b":"x","a":1}\n{"a":2}\n{"a":3,"new":[1,2]}\n', requested, 12);
  expect(byJson.columns.map((column) => [column.column, column.sql_type])).toEqual([
    ['a', 'BIGINT'],
    ['b', 'VARCHAR'],
    ['new', 'JSON'],
  ]);
  expect(byJson.rows).toEqual([
    { a: '1', b: 'x', new: null },
    { a: '2', b: null, new: null },
    { a: '3', b: null, new: '[1,2]' },
  ]);
});

test('hostile text survives both formats', async () => {
  const texts = [
    'semi;colon',
    'new\nline',
    'quote " quote',
    "apostrophe's",
    'ünïcode 🕷️ 汉字',
    ' spaces ',
    '\t',
    'a\r\nb',
    '[not a list',
    '{',
    '\\N',
    'x'.repeat(100_000),
  ];
  const requested = [field('id', 'natural'), field('title', 'string')];
  const byJson = await stage('json', jsonl(...texts.map((title, id) => ({ id, title }))), requested);
  const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
  const byCsv = await stage(
    'csv',
    `id;title\n${texts.map((title, id) => `${id};${quoted(title)}\n`).join('')}`,
    requested,
    64,
  );
  const expected = texts
    .map((title, id) => ({ id: String(id), title }))
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  expect(byJson.rows).toEqual(expected);
  expect(byCsv.rows).toEqual(expected);
});

test('broken lines are rejects with their line number, other lines are staged', async () => {
  const byJson = await stage('json', '{"a":1}\n{"a":\n{"a":2,"a":3}\n[1]\n\n{"a":4}\n', [
    field('a', 'natural'),
  ]);
  expect(byJson.rows).toEqual([{ a: '1' }, { a: '4' }]);
  expect(byJson.rejectRows.map((row) => [row.line, row.field, row.reason])).toEqual([
    ['2', null, 'is not valid JSON'],
    ['3', null, 'has a key twice'],
    ['4', null, 'is not a JSON object'],
  ]);
  const byCsv = await stage('csv', 'a;b\n1;"x\ny"\n2\n3;4;5\n6;z\n', [
    field('a', 'natural'),
    field('b', 'string'),
  ]);
  expect(byCsv.rows).toEqual([
    { a: '1', b: 'x\ny' },
    { a: '6', b: 'z' },
  ]);
  expect(byCsv.rejectRows.map((row) => [row.line, row.reason])).toEqual([
    ['4', 'has 1 cells where the header has 2'],
    ['5', 'has 3 cells where the header has 2'],
  ]);
});

test('an export without rows still lists its fields', async () => {
  const requested = [field('a', 'natural'), field('b', 'string')];
  const byJson = await stage('json', '', requested);
  const byCsv = await stage('csv', 'b\n', requested);
  expect(byJson.columns.map((column) => column.field)).toEqual(['a', 'b']);
  expect(byCsv.columns.map((column) => column.field)).toEqual(['b']);
  expect([byJson.staged, byCsv.staged]).toEqual([0, 0]);
});

test('a JSON value of another kind than its field is a reject, not converted', async () => {
  const requested = [
    field('id', 'natural'),
    field('n', 'natural'),
    field('r', 'float'),
    field('at', 'datetime'),
    field('day', 'date'),
    field('b', 'bool'),
  ];
  const broken: [string, unknown][] = [
    ['n', true],
    ['n', [1]],
    ['n', { a: 1 }],
    ['n', 'one'],
    ['n', ''],
    ['r', false],
    ['r', 'NaN'],
    ['at', 1736345223000],
    ['at', '2025-01-08T14:07:03Z'],
    ['day', 20250108],
    ['day', '2025-01-08 00:00:00'],
    ['b', 1],
    ['b', 'yes'],
  ];
  const rows = broken.map(([name, value]) => ({ id: 1, [name]: value }));
  const staged = await stage('json', jsonl(...rows, { id: 2 }), requested);
  expect(rejectsOf(staged).map(([name]) => name)).toEqual(broken.map(([name]) => name));
  expect(staged.rows.map((row) => row.id)).toEqual(['2']);
  const texts = await stage('json', '{"id":"7","n":"12","r":"0.5"}\n', requested);
  expect(texts.rows).toMatchObject([{ id: '7', n: '12', r: 0.5 }]);
});

test('infinity and epoch are rejects in date fields, and the day of the epoch is accepted', async () => {
  const requested = [field('id', 'natural'), field('at', 'datetime'), field('day', 'date')];
  const day = { at: '1900/01/01 00:00:00 UTC', day: '1900-01-01' };
  const asCsv = (rows: readonly (typeof day)[]): string =>
    `id;at;day\n${rows.map((row, id) => `${id};${row.at};${row.day}\n`).join('')}`;
  const asJson = (rows: readonly (typeof day)[]): string => jsonl(...rows.map((row, id) => ({ id, ...row })));
  const words = ['infinity', '-infinity', 'Infinity', 'epoch', 'infinity UTC'];
  const rows = [
    day,
    ...words.flatMap((word) => [
      { ...day, at: word },
      { ...day, day: word },
    ]),
  ];
  for (const staged of [
    await stage('json', asJson(rows), requested),
    await stage('csv', asCsv(rows), requested),
  ]) {
    expect(staged.rows).toEqual([{ id: '0', at: '1900-01-01 00:00:00+00', day: '1900-01-01' }]);
    expect(rejectsOf(staged)).toEqual(
      words.flatMap((word) => [
        ['at', word],
        ['day', word],
      ]),
    );
  }
});

test('a Unicode line separator in text hides no keys, and splits no broken row', async () => {
  const requested = [field('url', 'string'), field('depth', 'natural')];
  for (const separator of ['\u2028', '\u2029', '\r']) {
    const space = separator === '\r' ? '\r' : ' ';
    const text = separator === '\r' ? '' : separator;
    const row = (url: string, depth: string, extra: string): string =>
      `{"url":"${url}${text}",${space}"depth":${depth},"extra":"${extra}"}\n`;
    const whole = await stage('json', row('a', '1', 'x') + row('b', '2', 'y'), requested);
    expect(whole.columns.map((column) => column.field)).toEqual(['url', 'depth', 'extra']);
    expect(whole.rows).toEqual([
      { url: `a${text}`, depth: '1', extra: '"x"' },
      { url: `b${text}`, depth: '2', extra: '"y"' },
    ]);
    const broken = await stage('json', row('a', '1', 'x') + row('b', '2.5', 'y'), requested);
    expect(broken).toMatchObject({ staged: 1, rejected: 1 });
    expect(broken.rejectRows).toMatchObject([{ line: '2', field: 'depth', value: '2.5' }]);
  }
});

test('an undeclared key is kept although the first row is broken', async () => {
  const requested = [field('url', 'string')];
  for (const broken of ['no JSON', '"text"', '1']) {
    const staged = await stage('json', `${broken}\n{"url":"a","extra":1}\n`, requested);
    expect(staged).toMatchObject({ staged: 1, rejected: 1, rows: [{ url: 'a', extra: '1' }] });
  }
});

test('a CSV with mixed CRLF and LF is loaded, with unchanged values', async () => {
  const requested = [field('id', 'natural'), field('title', 'string')];
  const rows = [
    { id: '1', title: 'a' },
    { id: '2', title: 'b\rc\r\nd\ne\r' },
    { id: '3', title: null },
    { id: '4', title: '' },
    { id: '5', title: 'f' },
  ];
  for (const ends of ['\n\r', '\r\n'].map((order) =>
    [...order].map((end) => (end === '\r' ? '\r\n' : end)),
  )) {
    const [odd, even] = ends;
    const records = ['id;title', '1;a', '2;"b\rc\r\nd\ne\r"', '3;', '4;""', '', '\r', '5;f'];
    const text = records.map((record, index) => record + (index % 2 ? odd : even)).join('');
    const staged = await stage('csv', text, requested);
    expect(staged).toMatchObject({ rejected: 0, rejectRows: [], rows });
  }
});

test('in a CSV with mixed line ends, a carriage return outside quotes and a broken value are rejects with their line', async () => {
  const requested = [field('id', 'natural'), field('title', 'string')];
  const text = 'id;title\r\n1;a\n2;b\rc\r\n3;"d\r\ne"\n4.5;f\r\n5;g\n';
  const staged = await stage('csv', text, requested);
  expect(staged.rows.map((row) => row.id)).toEqual(['1', '3', '5']);
  expect(staged.rejectRows).toMatchObject([
    { line: '3', field: null, reason: 'has a carriage return outside quotes' },
    { line: '6', field: 'id', value: '4.5' },
  ]);
});

test('an invalid number, or one that only a double makes an integer, is a reject anywhere', async () => {
  const requested = [field('id', 'natural'), field('n', 'natural'), field('r', 'float')];
  const broken: [string, string][] = [
    ['n', '6815006321142732.5'],
    ['n', '123.00000000000000001'],
    ['n', '9007199254740993.5'],
    ['n', '"1_000"'],
    ['n', '"0x10"'],
    ['r', '9007199254740993e0'],
    ['r', '9007199254740993.0'],
    ['r', '"1_0.5"'],
    ['r', '"+-1"'],
    ['r', '1e400'],
    ['r', '"٣"'],
  ];
  // Names that differ only in case are read another way.
  const twins = [...requested, field('N', 'string'), field('R', 'string')];
  const bare = broken.map(([name, value]) => [name, value.replaceAll('"', '')] as const);
  const json = `${broken.map(([name, value]) => `{"id":1,"${name}":${value}}\n`).join('')}{"id":2}\n`;
  const csv = `id;n;r\n${bare.map(([name, value]) => (name === 'n' ? `1;${value};\n` : `1;;${value}\n`)).join('')}2;;\n`;
  for (const staged of [
    await stage('json', json, requested),
    await stage('json', json, twins),
    await stage('csv', csv, requested),
  ]) {
    expect(rejectsOf(staged)).toEqual(bare);
    expect(staged.rows.map((row) => row.id)).toEqual(['2']);
  }
});

test('an integer may be written with a point or an exponent', async () => {
  const spellings = ['12', '12.0', '1.2e1', '120e-1', '0.12E+2'];
  const json = spellings.map((n, id) => `{"id":${id},"n":${n},"all":[${n}]}\n`).join('');
  const csv = `id;n;all\n${spellings.map((n, id) => `${id};${n};[${n}]\n`).join('')}`;
  const requested = [field('id', 'natural'), field('n', 'natural'), field('all', 'natural', 'many')];
  for (const staged of [await stage('json', json, requested), await stage('csv', csv, requested)]) {
    expect(staged.rows).toEqual(spellings.map((_n, id) => ({ id: String(id), n: '12', all: ['12'] })));
  }
});

test('NaN and Infinity are invalid JSON, but valid text', async () => {
  const requested = [field('id', 'natural'), field('title', 'string'), field('item', 'object')];
  const rows = [
    '"title":"NaN"',
    '"title":NaN',
    '"item":{"a":"Infinity"}',
    '"item":{"a":-Infinity}',
    '"title":"Nancy"',
  ];
  const staged = await stage('json', rows.map((row, id) => `{"id":${id},${row}}\n`).join(''), requested);
  expect(staged.rows.map((row) => row.id)).toEqual(['0', '2', '4']);
  expect(staged.rejectRows.map((row) => [row.line, row.field, row.reason])).toEqual([
    ['2', null, 'is not valid JSON'],
    ['4', null, 'is not valid JSON'],
  ]);
});

test('a failed part can be added again after later parts', async () => {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  await mkdir(join(folder, 'raw'));
  const builder = await PackageBuilder.create(
    stagingConnections(async () => connection),
    folder,
    [field('id', 'natural')],
  );
  const bytes = Readable.from(pieces(Buffer.from(jsonl({ id: 1 }, { id: 2 }, { id: 3 })), 9));
  const raw = await Array.fromAsync(
    writeParts(bytes, { folder: join(folder, 'raw'), format: 'json', file: 'pages.jsonl', partBytes: 9 }),
  );
  const [first, ...others] = raw;
  if (!first || others.length === 0) throw new Error('one part alone');
  vi.spyOn(Connection.prototype, 'run').mockRejectedValueOnce(new Error('Out of Memory Error: too large'));
  await expect(builder.addPart(first, signal)).rejects.toThrow('too large');
  for (const part of others) await builder.addPart(part, signal);
  await builder.addPart(first, signal);
  const staged = await builder.finish(null, signal);
  expect(staged.parts.map(({ rows }) => rows)).toEqual(raw.map(({ rows }) => rows));
  expect([staged.staged, staged.rejected]).toEqual([3, 0]);
});

test('lists with "nan" or "inf" as text are staged, and the bare word is invalid JSON', async () => {
  const run = vi.spyOn(Connection.prototype, 'run');
  const requested = [field('id', 'natural'), field('h2', 'string', 'many'), field('item', 'object')];
  const texts = { h2: ['Finance', 'a "NaN", ]', '\\'], item: { Information: 'inf, }' } };
  const staged = await stage('json', jsonl({ id: 1, ...texts }, { id: 2, h2: 'Infinity' }), requested);
  const looks = (): number => run.mock.calls.filter(([sql]) => sql.includes('suspect_records')).length;
  expect(looks()).toBe(0);
  expect(staged.rows).toEqual([
    { id: '1', h2: texts.h2, item: JSON.stringify(texts.item) },
    { id: '2', h2: ['Infinity'], item: null },
  ]);
  for (const bare of ['["Finance",NaN]', '["\\\\",NaN]', '["Finance", -inf, "nan"]']) {
    const broken = await stage('json', `{"id":1,"h2":${bare}}\n{"id":2}\n`, requested);
    expect(broken.rows.map((row) => row.id)).toEqual(['2']);
  }
  expect(looks()).toBeGreaterThan(0);
  run.mockRestore();
});

test('an ambiguous zone name is a reject, like a time that occurred twice or never', async () => {
  const requested = [field('id', 'natural'), field('at', 'datetime')];
  const times: [string, string | null][] = [
    ['2025/07/02 12:00:00 BST', null],
    ['2025/07/02 12:00:00 PST', null],
    ['2025/07/02 12:00:00 CST', null],
    ['2025/01/02 12:00:00 EST', null],
    ['2025/07/02 12:00:00 CEST', '2025-07-02 10:00:00+00'],
    ['2025/07/02 12:00:00 CET', '2025-07-02 11:00:00+00'],
    ['2025/07/02 12:00:00 GMT+02:00', '2025-07-02 10:00:00+00'],
    ['2025/07/02 12:00:00 America/Los_Angeles', '2025-07-02 19:00:00+00'],
    ['2025/03/30 02:30:00 Europe/Paris', null],
    ['2025/03/30 03:30:00 Europe/Paris', '2025-03-30 01:30:00+00'],
    ['2025/10/26 02:30:00 Europe/Paris', null],
    ['2025/10/26 03:30:00 Europe/Paris', '2025-10-26 02:30:00+00'],
    ['25/07/02 12:00:00 UTC', null],
    ['2025/07/02 12:00:00 +99:99', null],
  ];
  const json = jsonl(...times.map(([at], id) => ({ id, at })));
  const csv = `id;at\n${times.map(([at], id) => `${id};${at}\n`).join('')}`;
  const loaded = times.flatMap(([, at], id) => (at === null ? [] : [{ id: String(id), at }]));
  for (const staged of [await stage('json', json, requested), await stage('csv', csv, requested)]) {
    expect(staged.rows).toEqual(loaded.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))));
    expect(staged.rejectRows.map((row) => row.value).sort()).toEqual(
      times.flatMap(([at, instant]) => (instant === null ? [at] : [])).sort(),
    );
  }
});

test('a two-digit year is a reject', async () => {
  const requested = [field('id', 'natural'), field('day', 'date')];
  for (const staged of [
    await stage('json', jsonl({ id: 1, day: '25-01-02' }, { id: 2, day: '2025-1-2' }), requested),
    await stage('csv', 'id;day\n1;25-01-02\n2;2025-1-2\n', requested),
  ]) {
    expect(staged.rows).toEqual([{ id: '2', day: '2025-01-02' }]);
    expect(staged.rejectRows.map((row) => row.value)).toEqual(['25-01-02']);
  }
});
