import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withLfEndings } from '../../../../src/etl/pipeline/stage/convert-part.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import '../../../support/process-timeout.ts';
import { runs } from '../../../support/runs.ts';

const signal = new AbortController().signal;

async function alike(text: string): Promise<string | null> {
  const folder = await temporaryFolder();
  const path = join(folder, 'part.csv');
  const copy = join(folder, 'copy.csv');
  await writeFile(path, text);
  const found = await withLfEndings(path, copy, signal, (one) => readFile(one, 'utf8'));
  expect(existsSync(copy)).toBe(false);
  return found;
}

test('only record ends change, and only if they are mixed', async () => {
  expect(await alike('a\r\nb\n')).toBe('a\nb\n');
  expect(await alike('a\n"b\r\n\r""\r\n"\r\nc\rd\r\r\n')).toBe('a\n"b\r\n\r""\r\n"\nc\rd\r\n');
  for (const text of ['', 'a\nb\n', 'a\r\nb\r\n', '"a\r\n"\n"b\r\n"\n', 'a\rb\n', 'a\r'])
    expect(await alike(text)).toBeNull();
});

test('a carriage return at a chunk border is classified by the next byte', async () => {
  const long = 'x'.repeat(1024 * 1024 - 1);
  expect((await alike(`${long}\r\ny\n`)) === `${long}\ny\n`).toBe(true);
  expect((await alike(`${long}\rz\r\ny\n`)) === `${long}\rz\ny\n`).toBe(true);
});

test('records with any line ends are staged like records with LF', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ';', '"', '\r', '\n', ' ') });
  const record = fc.tuple(cell, fc.constantFrom('\n', '\r\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 6 }), async (records) => {
      const quoted = records.map(([text, end]) => [`"${text.replaceAll('"', '""')}"`, end] as const);
      const found = await alike(quoted.map(([text, end]) => text + end).join(''));
      const isMixed = new Set(records.map(([, end]) => end)).size > 1;
      expect(found).toBe(isMixed ? quoted.map(([text]) => `${text}\n`).join('') : null);
    }),
    { numRuns: runs(60) },
  );
});
