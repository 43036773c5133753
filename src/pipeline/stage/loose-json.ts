import { createReadStream } from 'node:fs';
import { READ_BYTES } from '../../core/files/read-lines.ts';

const NEWLINE = 0x0a;
/**
 * What DuckDB's reader of JSON takes, and JSON has not (RFC 8259): a comma before an end, and numbers that are none. A string
 * may have it too.
 */
const LOOSE = /,\s*[}\]]|[:,[]\s*-?(?:nan|inf)/i;

/** Whether DuckDB takes a line of a file for JSON that is none, so that the file is to be read record by record. */
export async function hasLooseJson(path: string, signal: AbortSignal): Promise<boolean> {
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

function isLoose(lines: string): boolean {
  return LOOSE.test(lines) && lines.split('\n').some((line) => LOOSE.test(line) && !isJson(line));
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // It is none.
    return false;
  }
}
