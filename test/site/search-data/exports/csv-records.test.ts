import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRecords } from '../../../../src/site/search-data/exports/csv-records.ts';
import { runs } from '../../../support/runs.ts';

const signal = new AbortController().signal;

function content(bytes: Uint8Array, piece = 7) {
  return {
    place: 'a.csv',
    async *bytes() {
      for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
    },
  };
}

async function read(bytes: Uint8Array, piece?: number) {
  return await Array.fromAsync(csvRecords(content(bytes, piece), signal));
}

function utf16(text: string, isBig: boolean): Buffer {
  const little = Buffer.from(text, 'utf16le');
  return isBig ? little.swap16() : little;
}

test('any cells are read back, in each encoding, delimiter and line end, in chunks of any size', async () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((one) => !one.includes('\ufeff'));
  const table = fc
    .integer({ min: 2, max: 5 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
    );
  const form = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    end: fc.constantFrom('\n', '\r\n'),
    encoding: fc.constantFrom('utf-8', 'bom', 'utf-16le', 'utf-16be'),
    piece: fc.integer({ min: 1, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(table, form, async (rows, { delimiter, end, encoding, piece }) => {
      const header = rows[0]?.map((_, index) => `Column ${index}`) ?? [];
      const quoted = (one: string): string => `"${one.replaceAll('"', '""')}"`;
      const lines = [header.join(delimiter), ...rows.map((cells) => cells.map(quoted).join(delimiter))];
      const text = lines.join(end);
      const bytes =
        encoding === 'utf-8'
          ? Buffer.from(text)
          : encoding === 'bom'
            ? Buffer.from(`\ufeff${text}`)
            : utf16(`\ufeff${text}`, encoding === 'utf-16be');
      expect((await read(bytes, piece)).map(({ cells }) => cells)).toEqual([header, ...rows]);
    }),
    { numRuns: runs(300) },
  );
});

test('a record has the line of its start, after multi-line cells and empty lines', async () => {
  const text = 'Query,Clicks\r\n"a\r\nb",1\r\n\r\n\r\nc,2\r\nd,3';
  expect((await read(Buffer.from(text))).map(({ line }) => line)).toEqual([1, 2, 6, 7]);
});

test('the delimiter comes from the header, not from its quoted text', async () => {
  const [header] = await read(Buffer.from('"a,b,c";Clicks\n1;2\n'));
  expect(header?.cells).toEqual(['a,b,c', 'Clicks']);
});

test('records may end in CRLF, LF or CR', async () => {
  const cells = async (text: string) => (await read(Buffer.from(text))).map((record) => record.cells);
  const rows = [
    ['a', 'b'],
    ['1', '2'],
    ['3', '4'],
  ];
  expect(await cells('a,b\n1,2\r\n3,4\n')).toEqual(rows);
  expect(await cells('a,b\r\n1,2\n3,4\r\n')).toEqual(rows);
  expect(await cells('a,b\r1,2\r3,4\r')).toEqual(rows);
});

test('a header with quoted line ends shows its delimiter, in chunks of any size', async () => {
  const [header] = await read(Buffer.from(`"a${'\n'.repeat(100)}";b,c;"d"\n1;2;3\n`));
  expect(header?.cells).toHaveLength(3);
});

test.each([
  [Buffer.from([0x44, 0x2c, 0xff, 0x0a]), 'a.csv is not text in UTF-8'],
  [Buffer.from('a,b\n1,"2\n3,4\n'), 'a.csv, line'],
  [Buffer.from('a,b\n1,"2"x\n'), 'a.csv, line 2'],
  [Buffer.from('a,b\n1,x"2"\n'), 'a.csv, line 2'],
])('a file that is not a table is refused with its place: %#', async (bytes, words) => {
  await expect(read(bytes)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(words) });
});
