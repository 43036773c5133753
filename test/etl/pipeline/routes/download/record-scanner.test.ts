import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecordScanner } from '../../../../../src/etl/pipeline/routes/download/record-scanner.ts';
import { csvText, cutAnywhere, jsonlText, naiveRecords } from './texts.ts';

/** Scans a text piece by piece; the totals, and how many bytes up to the last record's end. */
function scanned(format: 'csv' | 'json', pieces: readonly Buffer[]) {
  const scanner = new RecordScanner(format);
  let records = 0;
  let lines = 0;
  let end = 0;
  let before = 0;
  for (const piece of pieces) {
    const scan = scanner.scan(piece);
    records += scan.records;
    lines += scan.lines;
    if (scan.end > 0) end = before + scan.end;
    before += piece.length;
  }
  return { records, lines, end, atRecordEnd: scanner.atRecordEnd };
}

test.for([['csv', csvText] as const, ['json', jsonlText] as const])(
  'records, lines and ends of %s match a plain parser, wherever the bytes are split',
  ([format, texts]) => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat()), (text, cuts) => {
        const expected = naiveRecords(format, text);
        const result = scanned(format, cutAnywhere(Buffer.from(text), cuts));
        expect(result.records).toBe(expected.records.length);
        expect(result.lines).toBe(expected.lines);
        expect(result.end).toBe(Buffer.byteLength(text.slice(0, expected.end)));
        expect(result.atRecordEnd).toBe(/^\r*$/.test(expected.rest));
      }),
      { numRuns: 500 },
    );
  },
);

test('a newline inside quotes that began in an earlier chunk ends no record, and counts as a line', () => {
  const pieces = ['1;"two', '\nlines', '\n', '"', '\n', '2;x\n'].map((piece) => Buffer.from(piece));
  expect(scanned('csv', pieces)).toEqual({ records: 2, lines: 4, end: 19, atRecordEnd: true });
});

test('quotes have no meaning in JSONL', () => {
  const text = Buffer.from('{"a":"x"}\n{"broken":"\n{"b":1}\n');
  expect(scanned('json', [text])).toMatchObject({ records: 3, lines: 3 });
});

test('blank lines are lines, but no records', () => {
  expect(scanned('json', [Buffer.from('\n{"a":1}\r\n\r\n\n')])).toMatchObject({ records: 1, lines: 4 });
  expect(scanned('csv', [Buffer.from('\n1;"a"\r\n\r\n\n')])).toMatchObject({ records: 1, lines: 4 });
  expect(scanned('json', [Buffer.from('{"a":1}\n \t'), Buffer.from(' \r\n')])).toMatchObject({
    records: 1,
    lines: 2,
  });
  // A cell of a CSV may be a space.
  expect(scanned('csv', [Buffer.from(' \n')])).toMatchObject({ records: 1 });
});

test('the first record ends after its newline, or not at all', () => {
  expect(new RecordScanner('csv').firstEnd(Buffer.from('"a\nb";c\nd;e\n'))).toBe(8);
  expect(new RecordScanner('json').firstEnd(Buffer.from('"a\nb"\n'))).toBe(3);
  expect(new RecordScanner('csv').firstEnd(Buffer.from('"a\nb";c'))).toBe(-1);
});
