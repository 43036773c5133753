import { writeFile } from 'node:fs/promises';
import { readLines } from '../../../core/files/read-lines.ts';
import type { Part } from '../../project/model/download.ts';

/** Records beyond this size are inspected alone, because DuckDB keeps each of their values in memory several times. */
const LONG_RECORD = 256 * 1024;
/** Text of other records that is inspected together. */
const MOST_TOGETHER = 4 * 1024 * 1024;

/**
 * Splits a JSONL part with long records into pieces, so that inspecting one record needs no memory for the others. The
 * pieces are files next to the part.
 *
 * @returns the part itself if all of its records are short
 */
export async function splitPart(part: Part): Promise<readonly Part[]> {
  if (part.format !== 'json' || part.rows === 1 || !(await hasLongRecord(part))) return [part];
  const pieces: Part[] = [];
  let lines: string[] = [];
  let length = 0;
  let firstLine = 0;
  const write = async (): Promise<void> => {
    if (lines.length === 0) return;
    const path = `${part.path}.${pieces.length}.jsonl`;
    await writeFile(path, `${lines.join('\n')}\n`, 'latin1');
    const rows = lines.filter((line) => !isBlank(line)).length;
    pieces.push({ ...part, path, rows, firstLine: part.firstLine - 1 + firstLine });
    lines = [];
    length = 0;
  };
  for await (const { line, number } of readLines(part.path, 'latin1')) {
    if (line.length > LONG_RECORD || length + line.length > MOST_TOGETHER) await write();
    if (lines.length === 0) firstLine = number;
    lines.push(line);
    length += line.length;
    if (line.length > LONG_RECORD) await write();
  }
  await write();
  return pieces.filter(({ rows }) => rows > 0);
}

async function hasLongRecord({ path }: Part): Promise<boolean> {
  for await (const { line } of readLines(path, 'latin1')) if (line.length > LONG_RECORD) return true;
  return false;
}

function isBlank(line: string): boolean {
  return /^[ \t\r]*$/.test(line);
}
