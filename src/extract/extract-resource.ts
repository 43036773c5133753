import { recordWithoutSecrets } from '../api/crawl-configs.ts';
import type { Download, RawPart } from '../model/raw-part.ts';
import { writeRecords } from './write-records.ts';

export type ResourceRecord = Readonly<Record<string, unknown>>;

/**
 * Puts the records of a resource list on disk as JSONL, like an export. Secrets of crawl configurations stay out
 * (spec-notes.md 33).
 */
export function extractResource(
  name: string,
  records: readonly ResourceRecord[],
  folder: string,
): AsyncGenerator<RawPart, Download> {
  const batches = async function* (): AsyncGenerator<readonly ResourceRecord[]> {
    yield records.map(recordWithoutSecrets);
  };
  return writeRecords(batches(), `${name}.jsonl`, folder);
}
