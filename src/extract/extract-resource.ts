import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutSecrets } from '../api/crawl-configs.ts';
import { Crawl } from '../api/crawls.ts';
import { stringifyJson } from '../core/json.ts';
import type { Download, RawPart } from '../model/raw-part.ts';

/**
 * Puts the records of a resource list on disk as JSONL, like an export. Secrets of crawl configurations stay out
 * (spec-notes.md 33).
 */
export async function* extractResource(
  name: string,
  records: readonly Readonly<Record<string, unknown>>[],
  folder: string,
): AsyncGenerator<RawPart, Download> {
  const text = records.map((record) => `${stringifyJson(cleaned(record))}\n`).join('');
  const path = join(folder, 'part-00001.jsonl');
  await writeFile(path, text, { flag: 'wx' });
  const file = `${name}.jsonl`;
  yield { path, format: 'json', file, firstLine: 1, rows: records.length, header: null };
  return {
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
    rows: records.length,
    header: null,
  };
}

function cleaned(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const crawl = Crawl.safeParse(record);
  if (!crawl.success || !crawl.data.crawl_config) return record;
  return { ...record, crawl_config: withoutSecrets(crawl.data.crawl_config) };
}
