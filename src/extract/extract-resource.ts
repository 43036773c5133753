import { type CrawlConfig, withoutSecrets } from '../api/crawl-configs.ts';
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
    yield records.map(cleaned);
  };
  return writeRecords(batches(), `${name}.jsonl`, folder);
}

/** A configuration stands alone, or within a crawl. */
function cleaned(record: ResourceRecord): ResourceRecord {
  const { crawl_config: config } = record;
  const isConfig = 'max_speed' in record && 'user_agent' in record;
  const outer = isConfig ? withoutSecrets(record as CrawlConfig) : record;
  return typeof config === 'object' && config !== null
    ? { ...outer, crawl_config: withoutSecrets(config as CrawlConfig) }
    : outer;
}
