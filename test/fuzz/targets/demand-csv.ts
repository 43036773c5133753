import fc from 'fast-check';
import { type CsvRecord, csvRecords } from '../../../src/site/search-data/exports/csv-records.ts';
import { decodeText } from '../../../src/site/search-data/exports/decode-text.ts';
import { parseDay } from '../../../src/site/search-data/exports/parse-day.ts';
import {
  DECIMAL_MARKS,
  parseCount,
  parseDecimal,
  parseRate,
} from '../../../src/site/search-data/exports/parse-figures.ts';
import { called, Fault, plainTarget, same, type Verdict } from '../target.ts';

const MOST_2_63 = 2n ** 63n;
/** Longer records are refused. */
const LONGEST = 120_000;

async function check(input: Buffer, signal: AbortSignal): Promise<Verdict> {
  // At most some thousand pieces: each costs more than its bytes.
  const size = Math.ceil(input.length / 2000) + (input.length % 100);
  const content = {
    place: 'a.csv',
    async *bytes() {
      for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
    },
  };
  const text = await called(async () => (await Array.fromAsync(decodeText(content))).join(''));
  const found = await called(async () => await Array.fromAsync(csvRecords(content, signal)));
  if (text === undefined) {
    if (found !== undefined) throw new Fault('what is no text is taken', found.value);
    return 'refused';
  }
  // The parser takes a NUL behind a quote for the end of the text; a value with a NUL is a reject anyway.
  if (text.value.includes('\0')) return 'refused';
  const right = text.value.length < LONGEST ? plainCsv(text.value) : undefined;
  if (found === undefined) {
    if (right !== undefined) throw new Fault('a table is refused', text.value);
    return 'refused';
  }
  // A carriage return alone is no line for the parser, and one for editors.
  const isLone = /\r(?!\n)/.test(text.value);
  const shown = (records: readonly CsvRecord[]) => (isLone ? records.map(({ cells }) => cells) : records);
  if (right !== undefined) same(shown(found.value), shown(right), 'a record');
  else if (text.value.length < LONGEST)
    throw new Fault('what is no CSV is taken', { text: text.value, found });
  for (const { cells } of found.value) for (const cell of cells) checkFigures(cell);
  return 'taken';
}

/**
 * A slow reader by RFC 4180: character by character. A record ends in LF, CRLF or CR. Undefined for a text whose quotes do not
 * fit.
 */
function plainCsv(text: string): CsvRecord[] | undefined {
  const delimiter = plainDelimiter(text);
  const isEnd = (at: number): boolean => text[at] === '\n' || text[at] === '\r';
  const records: CsvRecord[] = [];
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const cells: string[] = [];
    const first = line;
    let hasQuotes = false;
    for (;;) {
      let cell = '';
      if (text[at] === '"') {
        hasQuotes = true;
        for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
          if (at >= text.length) return undefined;
          if (text[at] === '"') at++;
          if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) line++;
          cell += text[at];
        }
        at++;
        if (at < text.length && text[at] !== delimiter && !isEnd(at)) return undefined;
      } else
        for (; at < text.length && text[at] !== delimiter && !isEnd(at); at++) {
          if (text[at] === '"') return undefined;
          cell += text[at];
        }
      cells.push(cell);
      if (text[at] !== delimiter) break;
      at++;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line++;
    // An empty line is no record; an empty cell in quotes is one.
    if (cells.length > 1 || cells[0] !== '' || hasQuotes) records.push({ cells, line: first });
  }
  return records;
}

/** The delimiter that the first line has most of, outside of quotes. */
function plainDelimiter(text: string): string {
  const counts = new Map([',', ';', '\t'].map((one) => [one, 0]));
  let isQuoted = false;
  for (const one of text.replace(/^[\r\n]+/, '')) {
    if (one === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (one === '\n' || one === '\r')) break;
    else if (!isQuoted && counts.has(one)) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

function checkFigures(cell: string): void {
  for (const mark of DECIMAL_MARKS) {
    const count = parseCount(cell, mark);
    if (count !== undefined && (count < 0n || count >= MOST_2_63))
      throw new Fault('a count is out of range', cell);
    if (/^\d{1,18}$/.test(cell) && count !== BigInt(cell)) throw new Fault('a plain count is changed', cell);
    for (const value of [parseDecimal(cell, mark), parseRate(cell, mark)])
      if (value !== undefined && !(value >= 0 && Number.isFinite(value)))
        throw new Fault('a figure is no number', cell);
  }
  if (/^\d+\.\d+$/.test(cell) && cell.length < 300)
    same(parseDecimal(cell, 'point'), Number(cell), 'a plain decimal');
  const day = parseDay(cell);
  if (day !== undefined && new Date(day).toISOString().slice(0, 10) !== day)
    throw new Fault('a day is none', cell);
}

const figure = fc.constantFrom(
  '1',
  '1,234',
  '1.234,5',
  '٣٫٥',
  '9223372036854775808',
  '3,5 %',
  '2026-02-30',
  '',
  '12.0',
);
const cell = fc.oneof(
  figure,
  fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'é'), maxLength: 6 }),
);
const written = fc
  .tuple(cell, fc.boolean())
  .map(([one, isBare]) => (isBare && !/[",;\r\n]/.test(one) ? one : `"${one.replaceAll('"', '""')}"`));

/** Tables of search results, as text, and the figures in them. */
export const demandCsv = plainTarget(
  {
    name: 'demand-csv',
    seeds: [
      'Suchanfragen,Klicks,Impressionen,CTR,Position\r\n"a ""b"", c",9,300,"3,0 %","6,1"\r\n',
      'Date;Clicks;Impressions\n2026-11-01;1.234;5678\n\n2026-11-02;0;1\n',
      Buffer.from('\ufeffa\tb\n1\t2\n', 'utf16le'),
    ],
    words: [',', ';', '\t', '"', '""', '\r\n', '\n', '\r', '\n\n', '%', '1,234', '1.234', '٣', '\ufeff'],
    grammar: fc
      .record({
        rows: fc.array(fc.array(written, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        delimiter: fc.constantFrom(',', ';', '\t'),
        end: fc.constantFrom('\n', '\r\n'),
      })
      .map(({ rows, delimiter, end }) => rows.map((cells) => cells.join(delimiter)).join(end)),
    shortRound: 500,
  },
  check,
);
