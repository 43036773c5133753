import type { Download, RawPart } from '../../../project/model/raw-part.ts';
import { keptRecord } from '../../../service/api/kept-record.ts';
import { writeRecords } from '../download/write-records.ts';

export type ResourceRecord = Readonly<Record<string, unknown>>;

/** Puts the records of a resource list on disk as JSONL, like an export; `keep` says what of each (`keptRecord`). */
export function extractResource(
  name: string,
  records: readonly ResourceRecord[],
  folder: string,
  keep: (record: ResourceRecord) => ResourceRecord = (record) => keptRecord(name, record),
): AsyncGenerator<RawPart, Download> {
  const batches = async function* (): AsyncGenerator<readonly ResourceRecord[]> {
    yield records.map(keep);
  };
  return writeRecords(batches(), `${name}.jsonl`, folder);
}
