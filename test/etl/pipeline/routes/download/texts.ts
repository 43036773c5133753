import fc from 'fast-check';

const word = fc.string({ unit: fc.constantFrom('a', 'ü', '🕷', ' ', '1', '{', "'"), maxLength: 6 });
const newline = fc.constantFrom('\n', '\r\n');
const inQuotes = fc
  .string({ unit: fc.constantFrom('a', '\n', '\r\n', '""', ';', 'é', ' '), maxLength: 8 })
  .map((text) => `"${text}"`);
const csvLine = fc
  .array(fc.oneof(word, inQuotes), { minLength: 1, maxLength: 3 })
  .map((cells) => cells.join(';'));
const jsonLine = fc
  .oneof(
    fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 6 }), { maxKeys: 3 }),
    fc.integer(),
  )
  .map((value) => JSON.stringify(value));

function lines(line: fc.Arbitrary<string>, ...blanks: string[]): fc.Arbitrary<string> {
  const ended = fc.tuple(fc.oneof({ weight: 5, arbitrary: line }, fc.constantFrom('', ...blanks)), newline);
  const last = fc.oneof({ weight: 3, arbitrary: fc.constant('') }, line);
  return fc
    .tuple(fc.array(ended, { maxLength: 8 }), last)
    .map(([whole, rest]) => whole.map(([text, end]) => text + end).join('') + rest);
}

/** CSV with quotes, newlines inside them, CRLF, blank lines, and perhaps a last line without its newline. */
export const csvText = lines(csvLine);
export const jsonlText = lines(jsonLine, ' ', '\t ');

/** The bytes in pieces, cut at any places, also within a character. */
export function cutAnywhere(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

/** What a plain character by character reader finds in a text. */
export function naiveRecords(
  format: 'csv' | 'json',
  text: string,
): { records: string[]; lines: number; end: number; rest: string } {
  const records: string[] = [];
  let quoted = false;
  let start = 0;
  let lines = 0;
  for (let at = 0; at < text.length; at++) {
    if (format === 'csv' && text[at] === '"') quoted = !quoted;
    if (text[at] !== '\n' || quoted) continue;
    const record = text.slice(start, at + 1);
    lines += record.split('\n').length - 1;
    if (!(format === 'csv' ? /^\r*\n$/ : /^\s*$/).test(record)) records.push(record);
    start = at + 1;
  }
  return { records, lines, end: start, rest: text.slice(start) };
}
