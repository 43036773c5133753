import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  type Expected,
  recognizedContent,
  refuseForeignType,
} from '../../../../../src/etl/pipeline/routes/download/recognize-content.ts';

const JSONL: Expected = { format: 'json', file: 'pages.jsonl', fields: ['url', 'type', 'message'] };
const CSV: Expected = { format: 'csv', file: 'pages.csv', fields: ['url'] };

async function passed(text: string | Buffer, expected: Expected, pieceBytes = 1000): Promise<string> {
  const bytes = Buffer.from(text as string);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const found = await Array.fromAsync(recognizedContent(Readable.from(pieces), expected));
  return Buffer.concat(found).toString();
}

test.for([
  ['text/html; charset=utf-8', JSONL, true],
  ['application/xml', CSV, true],
  ['image/png', CSV, true],
  ['application/json', CSV, true],
  ['text/csv', JSONL, true],
  ['text/csv', CSV, false],
  ['application/octet-stream', JSONL, false],
  [undefined, JSONL, false],
] as const)('the content type %s for %o is refused: %o', ([type, expected, refused]) => {
  const check = (): void => refuseForeignType(type, expected);
  if (refused) expect(check).toThrow(expect.objectContaining({ code: 'contract_broken' }));
  else expect(check).not.toThrow();
});

test.for([1, 1000, 5000])('a file in chunks of %i bytes is recognized unchanged', async (pieceBytes) => {
  const lines = '{"url":"https://x/"}\n'.repeat(500);
  expect(await passed(lines, JSONL, pieceBytes)).toBe(lines);
  expect(await passed('', JSONL, pieceBytes)).toBe('');
});

test.for([
  ['\ufeff \n<!doctype html><p>Sorry', CSV, 'contract_broken', 'pages.csv: received an HTML or XML page'],
  [`<html>${'x'.repeat(9000)}`, JSONL, 'contract_broken', 'pages.jsonl: received an HTML or XML page'],
  ['{"type":"quota_error","message":"used up","rows":[]}', CSV, 'quota', 'quota_error: used up'],
  ['{\n"type":"quota_error",\n"message":"used up",\n"rows":[]}', JSONL, 'quota', 'quota_error: used up'],
  [
    '[{"url":"https://x/"}]\n',
    JSONL,
    'contract_broken',
    'pages.jsonl: received a JSON array instead of JSON lines',
  ],
  ['\0\0\0\0', CSV, 'contract_broken', 'not text in UTF-8, the first bytes are 00000000'],
  [Buffer.from('\ufeffurl\n', 'utf16le'), CSV, 'contract_broken', 'the first bytes are fffe750072006c00'],
  [Buffer.from('{"url":1}\n', 'utf16le').swap16(), JSONL, 'contract_broken', 'the first bytes are 007b0022'],
  [gzipSync('url\n'), CSV, 'contract_broken', 'the first bytes are 1f8b08'],
  ['PK\x03\x04', CSV, 'contract_broken', 'the first bytes are 504b0304'],
] as const)('%j is not recognized as a file of rows', async ([text, expected, code, message]) => {
  await expect(passed(text, expected)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
});

test('a row with the fields of an error object is a row if they were requested', async () => {
  const row = '{"type":"quota_error","message":"used up"}\n';
  expect(await passed(row, JSONL)).toBe(row);
  await expect(passed(row, { ...JSONL, fields: ['url'] })).rejects.toMatchObject({ code: 'quota' });
});

test('an error object in a store is attributed to the object, not to the request', async () => {
  const text = '{"type":"unauthorized","message":"no"}\n';
  await expect(passed(text, CSV)).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(passed(text, { ...CSV, isStored: true })).rejects.toMatchObject({
    code: 'contract_broken',
    message: expect.stringContaining('pages.csv: received an error object instead of CSV: '),
  });
});
