import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFile } from '../../../src/service/ingest/read-file.ts';
import { sharedFolder } from '../../support/temporary.ts';

const folder = sharedFolder();
const { signal } = new AbortController();
let files = 0;

async function read(content: string | Uint8Array) {
  const path = join(folder, `${files++}.csv`);
  await writeFile(path, content);
  return readFile(path, signal);
}

const URL_1 = 'https://a.example/';

test('a file has fields, counts, messages and characters', async () => {
  const text = [
    'url;sales;note',
    `${URL_1};10;"ü;b"`,
    '',
    `${URL_1}2;;`,
    'a.example;1;x',
    ' ;1;x',
    `${URL_1};1`,
  ].join('\n');
  expect(await read(text)).toEqual({
    kind: 'ingest',
    fields: { url: 'string', sales: 'natural', note: 'string' },
    valid_lines: 2,
    invalid_lines: 3,
    detailed_invalid_lines: { invalid_url: 1, missing_url: 1, column_count: 1 },
    lines_errors_messages: {
      invalid_url: ['line 5: "a.example" is not an absolute http or https URL'],
      missing_url: ['line 6: has no url'],
      column_count: ['line 7: has 2 columns, not 3'],
    },
    size: text.length,
  });
});

test.each([
  ['0', '7', 'natural'],
  ['0', '-1', 'float'],
  ['1', '1.5e-3', 'float'],
  ['TRUE', 'false', 'bool'],
  ['2024-02-29', '2025-12-31', 'date'],
  ['2024-02-29', '2025-02-29', 'string'],
  ['2024-02-29', '', 'date'],
  ['', '', 'string'],
  ['true', '1', 'string'],
  ['01', '1', 'string'],
])('a column with "%s" and "%s" is %s', async (first, second, type) => {
  const { fields, valid_lines } = await read(`url,a\n${URL_1},${first}\n${URL_1},${second}\n`);
  expect([fields, valid_lines]).toEqual([{ url: 'string', a: type }, 2]);
});

test.each([
  ['url\n', 'seed', 0],
  [`\ufeffurl\n${URL_1}\n`, 'seed', 1],
  [`"url"\t"a b"\n${URL_1}\t1\n`, 'ingest', 1],
  [`url,a\r\n${URL_1},1\r\n`, 'ingest', 1],
  [`${URL_1}a,b;c\n${URL_1}\n`, 'seed', 2],
  [`${URL_1}  \n`, 'seed', 0],
])('%j is %s with %d lines', async (text, kind, lines) => {
  expect(await read(text)).toMatchObject({ kind, valid_lines: lines });
});

test.each<[content: string | Uint8Array, message: string]>([
  ['', 'the file is empty'],
  ['\ufeff', 'the file is empty'],
  [
    'urls\n',
    'the first line must be a header whose first column is url, separated by a comma, a semicolon or a tab',
  ],
  ['url|a\n', 'the first line must be a header'],
  [`${URL_1}\ta\n`, 'the first line must be a header'],
  ['url, \n', 'the column 2 of the header has no name'],
  ['url,a,b,a\n', 'the header names the column "a" twice'],
  [`url,${'a'.repeat(101)},${'a'.repeat(101)}\n`, `the header names the column "${'a'.repeat(100)}…" twice`],
  [`url,${'a'.repeat(100)},${'a'.repeat(100)}\n`, `the header names the column "${'a'.repeat(100)}" twice`],
  [
    `url,${Array.from({ length: 1000 }, (_, at) => `c${at}`).join(',')}\n`,
    'the header names 1001 columns, more than 1000',
  ],
  [`url,${'a'.repeat(140_000)}\n`, 'the first line has more than 65536 bytes'],
  [Buffer.from([0x1f, 0x8b, 1]), 'the file is a gzip file, not text in UTF-8'],
  [Buffer.from('PK\x03\x04'), 'the file is a zip archive, not text in UTF-8'],
  [Buffer.from([0xff, 0xfe, 0x61]), 'the file is UTF-16 text, not text in UTF-8'],
  [Buffer.from([0xfe, 0xff, 0x61]), 'the file is UTF-16 text, not text in UTF-8'],
  [Buffer.from('url\n\0'), 'the file is not text: it contains NUL bytes'],
  [Buffer.from('url\n\xfc\n', 'latin1'), 'the file is not text in UTF-8'],
  // A character that the file does not finish.
  [Buffer.concat([Buffer.from('url\n'), Buffer.from([0xc3])]), 'the file is not text in UTF-8'],
  ['url,"a\n', "the header can't be read: "],
])('a file is refused (%#)', async (content, message) => {
  const refused = expect(read(content)).rejects;
  await refused.toThrow(message);
});

test('a header of 1,000 columns is read', async () => {
  const names = ['url', ...Array.from({ length: 999 }, (_, at) => `c${at}`)];
  const { fields } = await read(
    `${names.join(',')}\n${[URL_1, ...names.slice(1).map(() => '1')].join(',')}\n`,
  );
  expect(Object.keys(fields)).toHaveLength(1000);
});

test('a kind of error has at most ten messages, and quotes that do not end are an error of their line', async () => {
  const lines = Array.from({ length: 12 }, (_, at) => `page-${at}`);
  const many = await read(`url\n${lines.join('\n')}\n`);
  expect([many.invalid_lines, many.detailed_invalid_lines]).toEqual([12, { invalid_url: 12 }]);
  expect(many.lines_errors_messages.invalid_url).toEqual(
    lines.slice(0, 10).map((name, at) => `line ${at + 2}: "${name}" is not an absolute http or https URL`),
  );
  const open = await read(`url,a\n${URL_1},"b\n`);
  expect(open).toMatchObject({
    valid_lines: 0,
    invalid_lines: 1,
    detailed_invalid_lines: { malformed_csv: 1 },
  });
  expect(await read(`url,a\n${URL_1},b"c\n`)).toMatchObject({ valid_lines: 1, invalid_lines: 0 });
});
