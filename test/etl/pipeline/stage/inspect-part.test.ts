import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRecords } from '../../../../src/etl/pipeline/stage/inspect-part.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

async function recordsOf(format: 'csv' | 'json', content: string) {
  const path = join(await temporaryFolder(), `part.${format}`);
  await writeFile(path, content);
  const isCsv = format === 'csv';
  return Array.fromAsync(
    readRecords({
      path,
      format,
      file: `pages.${format}`,
      firstLine: isCsv ? 2 : 1,
      rows: 2,
      header: isCsv ? ['a', 'b'] : null,
      delimiter: isCsv ? ';' : null,
    }),
  );
}

test('a byte order mark at the beginning of a value belongs to the value', async () => {
  const csv = await recordsOf('csv', '\ufeffone;"\ufefftwo"\n"";three\n');
  expect(csv.map(({ cells, problem }) => [cells, problem])).toEqual([
    [['\ufeffone', '\ufefftwo'], null],
    [['', 'three'], null],
  ]);
  const json = await recordsOf('json', '{"a":"\ufeffone"}\n');
  expect(json.map(({ text, problem }) => [text, problem])).toEqual([['{"a":"\ufeffone"}', null]]);
});

test('a byte order mark before a line of JSON makes it invalid', async () => {
  const json = await recordsOf('json', '{"a":1}\n\ufeff{"a":2}\n');
  expect(json.map(({ line, problem }) => [line, problem])).toEqual([
    [1, null],
    [2, 'is not valid JSON'],
  ]);
});

test('an unclosed quote is refused with its line', async () => {
  await expect(recordsOf('csv', 'x"";1\n"2;3\n')).rejects.toMatchObject({
    code: 'contract_broken',
    message: expect.stringMatching(/^pages\.csv:3: Quote Not Closed/),
  });
});
