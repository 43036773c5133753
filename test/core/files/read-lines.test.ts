import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLines } from '../../../src/core/files/read-lines.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function linesOf(content: string | Buffer, encoding?: 'utf8' | 'latin1') {
  const file = join(await temporaryFolder(), 'lines');
  await writeFile(file, content);
  return Array.fromAsync(readLines(file, encoding));
}

test('only a newline ends a line, and the last line needs none', async () => {
  expect(await linesOf('a\u2028b\u2029c\rd\r\n\ne')).toEqual([
    { line: 'a\u2028b\u2029c\rd\r', number: 1 },
    { line: '', number: 2 },
    { line: 'e', number: 3 },
  ]);
  expect(await linesOf('')).toEqual([]);
  expect(await linesOf('a\n')).toEqual([{ line: 'a', number: 1 }]);
});

test('a line longer than a chunk, split within a character, stays whole', async () => {
  const long = 'x'.repeat(1024 * 1024 - 1) + 'é'.repeat(600_000);
  const [first, second] = await linesOf(`${long}\nend\n`);
  expect(first?.line === long).toBe(true);
  expect(second).toEqual({ line: 'end', number: 2 });
});

test('with latin1, every byte is a character', async () => {
  expect(await linesOf(Buffer.from([0xff, 0x0a, 0xc3]), 'latin1')).toEqual([
    { line: 'ÿ', number: 1 },
    { line: 'Ã', number: 2 },
  ]);
});
