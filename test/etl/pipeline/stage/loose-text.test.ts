import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasLooseText } from '../../../../src/etl/pipeline/stage/loose-text.ts';
import { testSeed } from '../../../support/random.ts';
import { runs } from '../../../support/runs.ts';
import { stageValues } from '../../../support/stage-values.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

const isLooseJsonl = (path: string): Promise<boolean> => {
  const part = {
    path,
    format: 'json',
    file: 'x',
    firstLine: 1,
    rows: 1,
    header: null,
    delimiter: null,
  } as const;
  return hasLooseText(part, new AbortController().signal);
};

const FIELDS = [
  { name: 'id', type: 'natural', arity: 'one' },
  { name: 'title', type: 'string', arity: 'one' },
  { name: 'score', type: 'float', arity: 'one' },
] as const;

/** Lines that DuckDB reads, and that are no JSON. */
const LOOSE = [
  '{"id":1,"title":"a","score":1.5,}',
  '{"id":1,"title":"a" , "score":1.5 , }',
  '{"id":1,"title":["a",],"score":1.5}',
  '{"id":1,"title":NaN,"score":1.5}',
  '{"id":1,"title":"a","score":NaN}',
  '{"id":1,"title":"a","score": nan}',
  '{"id":1,"title":"a","score":-Infinity}',
  '{"id":1,"title":"a","score":inf}',
  '{"id":1,"title":"a","score":1.5,"more":NaN}',
  '{"id":1,"title":"a","score":1.5,"more":[1,NaN]}',
];

test.each(LOOSE)('the line %s is a reject, and other lines stay', async (line) => {
  const connection = await temporaryConnection(await temporaryFolder());
  const lines = ['{"id":0,"title":"NaN, ]","score":0.5}', line, '{"id":2,"title":", } : inf","score":2.5}'];
  const staged = await stageValues(connection, 'json', `${lines.join('\n')}\n`, FIELDS);
  expect([...staged.rows.keys()]).toEqual([0, 2]);
  expect(staged.rows.get(2)?.title).toContain(', } : inf');
  expect([...staged.rejects]).toEqual([[2, new Map([[null, { value: line, reason: 'is not valid JSON' }]])]]);
});

test('lines of JSON are never loose, whatever their text', async () => {
  const path = join(await temporaryFolder(), 'lines.jsonl');
  const text = fc.oneof(fc.string(), fc.constantFrom(', ]', ',}', ':NaN', '[inf', '",}', '\\",]'));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.dictionary(text, fc.oneof(text, fc.array(text)))), async (rows) => {
      await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      expect(await isLooseJsonl(path)).toBe(false);
    }),
    { seed: testSeed(), numRuns: runs(100) },
  );
});

test('a loose line is found at any chunk border', async () => {
  const path = join(await temporaryFolder(), 'lines.jsonl');
  const row = `${JSON.stringify({ text: 'x'.repeat(1_000) })}\n`;
  for (const rows of [0, 255, 256, 600]) {
    for (const end of ['', '\n', `\n${row}`]) {
      await writeFile(path, `${row.repeat(rows)}{"a":1,}${end}`);
      expect(await isLooseJsonl(path)).toBe(true);
    }
  }
});
