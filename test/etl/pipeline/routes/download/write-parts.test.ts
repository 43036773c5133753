import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeParts } from '../../../../../src/etl/pipeline/routes/download/write-parts.ts';
import type { Part } from '../../../../../src/etl/project/model/download.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { csvText, cutAnywhere, jsonlText, naiveRecords } from './texts.ts';

interface Written {
  readonly parts: Part[];
  readonly header: readonly string[] | null;
  readonly contents: string[];
}

async function write(
  format: 'csv' | 'json',
  pieces: readonly Buffer[],
  folder: string,
  partBytes = 1 << 20,
): Promise<Written> {
  const content = (async function* () {
    yield* pieces;
  })();
  const file = format === 'csv' ? 'pages.csv' : 'pages.jsonl';
  const generator = writeParts(content, { folder, format, file, partBytes });
  const parts: Part[] = [];
  for (;;) {
    const next = await generator.next();
    if (next.done) {
      const contents = await Promise.all(parts.map((part) => readFile(part.path, 'utf8')));
      return { parts, header: next.value, contents };
    }
    parts.push(next.value);
  }
}

async function writeText(format: 'csv' | 'json', text: string, partBytes?: number): Promise<Written> {
  return write(format, [Buffer.from(text)], await temporaryFolder(), partBytes);
}

const HEADER = '\ufeffurl;"the\ntitle"\r\n';

test.for([['csv', csvText, HEADER] as const, ['json', jsonlText, '\ufeff'] as const])(
  'parts of %s contain whole records, in order, with their rows and lines, wherever the bytes are split',
  async ([format, texts, head]) => {
    const root = await temporaryFolder();
    const whole = texts.filter((text) => /^\r*$/.test(naiveRecords(format, text).rest));
    await fc.assert(
      fc.asyncProperty(
        whole,
        fc.array(fc.nat()),
        fc.integer({ min: 1, max: 60 }),
        async (text, cuts, size) => {
          const folder = await mkdtemp(join(root, 'p'));
          const bytes = Buffer.from(head + text);
          const { parts, header, contents } = await write(format, cutAnywhere(bytes, cuts), folder, size);
          expect(header).toEqual(format === 'csv' ? ['url', 'the\ntitle'] : null);
          expect(contents.join('')).toBe(text);
          let line = format === 'csv' ? 3 : 1;
          for (const [index, part] of parts.entries()) {
            const own = naiveRecords(format, contents[index] ?? '');
            expect(part.rows).toBe(own.records.length);
            expect(part.firstLine).toBe(line);
            if (index < parts.length - 1) expect(own.rest).toBe('');
            line += own.lines;
          }
          await rm(folder, { recursive: true });
        },
      ),
      { numRuns: 60 },
    );
  },
);

test('parts end at record ends once they are large enough, and have ordered names', async () => {
  const folder = await temporaryFolder();
  const text = Array.from({ length: 10 }, (_none, n) => `{"n":${n}}\n`).join('');
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: 10 }, (_none, n) => bytes.subarray(n * 8, n * 8 + 8));
  const { parts, contents } = await write('json', pieces, folder, 24);
  expect(parts.map((part) => [part.rows, part.firstLine])).toEqual([
    [3, 1],
    [3, 4],
    [3, 7],
    [1, 10],
  ]);
  expect(contents[1]).toBe('{"n":3}\n{"n":4}\n{"n":5}\n');
  expect((await readdir(folder)).sort()).toEqual([
    'part-00001.jsonl',
    'part-00002.jsonl',
    'part-00003.jsonl',
    'part-00004.jsonl',
  ]);
  expect(parts.every((part) => part.file === 'pages.jsonl' && part.format === 'json')).toBe(true);
});

test('a long part reports its rows before it is complete', async () => {
  const folder = await temporaryFolder();
  const told: number[] = [];
  const piece = Buffer.from(`${JSON.stringify({ text: 'x'.repeat(1023 * 1024) })}\n`);
  const options = {
    folder,
    format: 'json',
    file: 'pages.jsonl',
    onRows: (rows: number) => told.push(rows),
  } as const;
  const parts = writeParts(Readable.from(Array(7).fill(piece)), options);
  expect((await parts.next()).value).toMatchObject({ rows: 7 });
  expect(told).toEqual([3, 6]);
});

test.for([
  ['json', '{"a":1}\n{"a":2}'],
  ['json', '{"a":1'],
  ['csv', 'a;b\n1;2\n3;4'],
  ['csv', 'a;b\n1;"2\n'],
  ['csv', 'a;b'],
  ['csv', ''],
  ['csv', '\ufeff'],
] as const)(
  'a last record without its newline means that the %s is incomplete: %j',
  async ([format, text]) => {
    await expect(writeText(format, text)).rejects.toMatchObject({
      code: 'cut_short',
      kind: 'retriable',
      message: expect.stringContaining('the last line has no newline'),
    });
  },
);

test('an unfinished part keeps its temporary name', async () => {
  const folder = await temporaryFolder();
  await expect(write('json', [Buffer.from('{"a":1}\n{"a"')], folder)).rejects.toThrow();
  expect(await readdir(folder)).toEqual(['part-00001.partial']);
});

test('an export without rows has no parts: an empty JSONL, or a CSV with only its header', async () => {
  expect(await writeText('json', '')).toMatchObject({ parts: [], header: null });
  expect(await writeText('csv', 'a;b\n')).toMatchObject({ parts: [], header: ['a', 'b'] });
});

test('names in the header keep quotes, delimiters and spaces', async () => {
  const { header } = await writeText('csv', ' a ;"b;c";"d""e";Title;title\n');
  expect(header).toEqual([' a ', 'b;c', 'd"e', 'Title', 'title']);
});

test('a header with a duplicate or empty name is outside the contract', async () => {
  await expect(writeText('csv', 'a;b;a\n1;2;3\n')).rejects.toMatchObject({
    code: 'contract_broken',
    message: 'pages.csv:1: the header has the name "a" twice',
  });
  await expect(writeText('csv', 'a;;b\n')).rejects.toMatchObject({ code: 'contract_broken' });
});

test('a megabyte without a line end is not a header', async () => {
  await expect(writeText('csv', 'x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({
    code: 'contract_broken',
  });
});

test('a download error is passed on, and open files are closed', async () => {
  const folder = await temporaryFolder();
  await mkdir(folder, { recursive: true });
  let closed = false;
  const content = (async function* () {
    try {
      yield Buffer.from('{"a":1}\n{"b"');
      throw new Error('reset');
    } finally {
      closed = true;
    }
  })();
  const parts = writeParts(content, { folder, format: 'json', file: 'f' });
  await expect(parts.next()).rejects.toThrow('reset');
  expect(closed).toBe(true);
});

test.each([
  ['json', 200, 32],
  ['json', 201, 24],
  ['csv', 200, 32],
  ['csv', 201, 30],
] as const)(
  'a part of %s with %i fields ends with the record that fills %i MiB',
  async (format, count, size) => {
    const names = Array.from({ length: count }, (_, index) => `f${index}`);
    const record = Buffer.from(
      format === 'csv'
        ? `${'x'.repeat(1000)}${';'.repeat(count - 1)}\n`
        : `${JSON.stringify({ f0: 'x'.repeat(1000) })}\n`,
    );
    const header = Buffer.from(format === 'csv' ? `${names.join(';')}\n` : '');
    const records = Buffer.concat(Array.from({ length: 1000 }, () => record));
    const pieces = Readable.from(
      [header, ...Array.from({ length: 40 }, () => records)].filter((one) => one.length > 0),
    );
    const options = { folder: await temporaryFolder(), format, file: 'pages', fields: names };
    const parts = await Array.fromAsync(writeParts(pieces, options));
    const [first] = parts;
    const bytes = (first?.rows ?? 0) * record.length;
    expect(bytes).toBeGreaterThanOrEqual(size * 2 ** 20);
    expect(bytes).toBeLessThan((size + 2) * 2 ** 20);
  },
);
