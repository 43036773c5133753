import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_LIMITS, type Limits } from '../../../../core/net/download-limits.ts';
import { stringifyJson } from '../../../../core/text/json.ts';
import type { DownloadFacts, Part } from '../../../project/model/download.ts';
import { tooLong } from './write-parts.ts';

/**
 * Writes records from JSON pages to disk as JSONL, one raw part per batch, in the same form as a JSONL download.
 *
 * @param file the name of all records together in messages and rejects
 */
export async function* writeRecords(
  batches:
    | AsyncIterable<readonly Readonly<Record<string, unknown>>[]>
    | Iterable<readonly Readonly<Record<string, unknown>>[]>,
  file: string,
  folder: string,
  limits: Pick<Limits, 'record'> = DEFAULT_LIMITS,
): AsyncGenerator<Part, DownloadFacts> {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  let index = 0;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    const lines = batch.map((record) => `${stringifyJson(record)}\n`);
    const long = lines.findIndex((line) => line.length > limits.record);
    if (long !== -1) throw tooLong(file, rows + long + 1, limits.record);
    const text = lines.join('');
    const path = join(folder, `part-${String(++index).padStart(5, '0')}.jsonl`);
    await writeFile(path, text, { flag: 'wx' });
    hash.update(text);
    bytes += Buffer.byteLength(text);
    yield {
      path,
      format: 'json',
      file,
      firstLine: rows + 1,
      rows: batch.length,
      header: null,
      delimiter: null,
    };
    rows += batch.length;
  }
  return { bytes, sha256: hash.digest('hex'), rows, header: null };
}
