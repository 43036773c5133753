import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { writeRecords } from '../../../../../src/etl/pipeline/routes/download/write-records.ts';
import type { Part } from '../../../../../src/etl/project/model/download.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

test('each non-empty batch is a part of lines, and the hash covers all parts', async () => {
  const batches = [[{ id: 'a' }, { id: 'ü' }], [], [{ id: 'c', n: 2n ** 60n }]];
  const records = writeRecords(batches, 'crawls.jsonl', await temporaryFolder());
  const parts: Part[] = [];
  let next = await records.next();
  for (; !next.done; next = await records.next()) parts.push(next.value);
  expect(parts.map(({ file, firstLine, rows, format }) => [file, firstLine, rows, format])).toEqual([
    ['crawls.jsonl', 1, 2, 'json'],
    ['crawls.jsonl', 3, 1, 'json'],
  ]);
  const texts = await Promise.all(parts.map(({ path }) => readFile(path, 'utf8')));
  expect(texts).toEqual(['{"id":"a"}\n{"id":"ü"}\n', '{"id":"c","n":1152921504606846976}\n']);
  const all = texts.join('');
  expect(next.value).toEqual({
    rows: 3,
    bytes: Buffer.byteLength(all),
    sha256: createHash('sha256').update(all).digest('hex'),
    header: null,
  });
});

test('a record that is too long is refused with its line in the whole list', async () => {
  const batches = [[{ id: 'a' }], [{ id: 'b' }, { id: 'x'.repeat(100) }]];
  const records = writeRecords(batches, 'crawls.jsonl', await temporaryFolder(), { record: 50 });
  await records.next();
  await expect(records.next()).rejects.toMatchObject({
    code: 'over_limit',
    message: expect.stringMatching(/^crawls\.jsonl:3: the record is longer than /),
  });
});
