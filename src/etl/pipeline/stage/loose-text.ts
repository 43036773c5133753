import { createReadStream } from 'node:fs';
import { READ_BYTES } from '../../../core/files/read-lines.ts';
import type { TextPart } from './raw-reader.ts';

const NEWLINE = 0x0a;
/**
 * Text that DuckDB's JSON reader accepts although JSON does not (RFC 8259): a comma before an end, and words instead of
 * numbers. A string may contain it too.
 */
const LOOSE = /,\s*[}\]]|[:,[]\s*-?(?:nan|inf)/i;

/**
 * Returns whether DuckDB may misread a line of a file, so that the file must be read record by record. DuckDB may
 * accept invalid JSON, or drop the spaces next to the quotes of a CSV.
 */
export async function hasLooseText(
  { path, format, delimiter }: TextPart,
  signal: AbortSignal,
): Promise<boolean> {
  const isLoose = format === 'json' ? isLooseJson : looseCsv(delimiter ?? ';');
  let pieces: Buffer[] = [];
  for await (const data of createReadStream(path, { highWaterMark: READ_BYTES, signal })) {
    const chunk = data as Buffer;
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0 && isLoose(Buffer.concat([...pieces, chunk.subarray(0, end)]).toString())) return true;
    if (end > 0) pieces = [];
    pieces.push(chunk.subarray(end));
  }
  return isLoose(Buffer.concat(pieces).toString());
}

function isLooseJson(lines: string): boolean {
  return LOOSE.test(lines) && lines.split('\n').some((line) => LOOSE.test(line) && !isJson(line));
}

/** Finds a cell with spaces between a quote and its end. Quoted text may also match. */
function looseCsv(delimiter: string): (lines: string) => boolean {
  const mark = delimiter === '\t' ? '\\t' : `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const loose = new RegExp(`(?:^|[\\n${mark}])[ \\t]+"|"[ \\t]+(?:[\\r\\n${mark}]|$)`);
  return (lines) => loose.test(lines);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // It is not a match.
    return false;
  }
}

/** Returns whether a cell of a record has text between its opening or closing quote and its end. */
export function hasTextBesideQuotes(record: string, delimiter: string): boolean {
  for (let at = 0; at <= record.length; ) {
    let open = at;
    while (record[open] === ' ' || (record[open] === '\t' && delimiter !== '\t')) open++;
    if (record[open] !== '"') {
      const next = record.indexOf(delimiter, at);
      if (next === -1) return false;
      at = next + delimiter.length;
      continue;
    }
    let close = record.indexOf('"', open + 1);
    while (close !== -1 && record[close + 1] === '"') close = record.indexOf('"', close + 2);
    const behind = close === -1 ? '' : record.slice(close + 1, close + 1 + Math.max(2, delimiter.length));
    const isEnd = close !== -1 && (/^\r?\n?$/.test(behind) || /^\r?\n/.test(behind));
    if (open > at || (!isEnd && !behind.startsWith(delimiter))) return true;
    if (isEnd) return false;
    at = close + 1 + delimiter.length;
  }
  return false;
}
