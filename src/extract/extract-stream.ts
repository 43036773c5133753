import type { ServiceClient } from '../api/client.ts';
import type { CrawlDataType } from '../api/fields.ts';
import type { Oql } from '../api/oql.ts';
import type { ExportFileType } from '../api/search.ts';
import type { Download, RawPart } from '../model/raw-part.ts';
import { type BodyFacts, verifiedBody } from './verified-body.ts';
import { writeParts } from './write-parts.ts';

/** What a streamed export is asked for. */
export interface StreamRequest {
  readonly crawlId: string;
  readonly dataType: CrawlDataType;
  readonly fields: readonly string[];
  readonly oql: Oql | null;
  readonly format: ExportFileType;
  readonly gzip: boolean;
}

/**
 * Brings a crawl's rows by one streamed export (api-spec.md §4.1), part by part. What has been yielded may be staged
 * at once, but counts only when the generator has returned: until then the download may still turn out broken.
 *
 * @throws CrawlhouseError retriable when the stream is refused for now, cut, reset or idle
 */
export async function* extractStream(
  client: ServiceClient,
  request: StreamRequest,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<RawPart, Download> {
  const file = `${request.dataType}.${request.format === 'csv' ? 'csv' : 'jsonl'}`;
  const body = { fields: [...request.fields], ...(request.oql ? { oql: request.oql } : {}) };
  const response = await client.exportCrawl(
    request.crawlId,
    request.dataType,
    body,
    request.format,
    request.gzip,
    signal,
  );
  const facts: BodyFacts = { bytes: 0, sha256: '' };
  const what = `export of ${request.dataType} of crawl ${request.crawlId}`;
  const content = verifiedBody(response.body, response.contentEncoding, facts, what);
  const parts = writeParts(content, { folder, format: request.format, file });
  let rows = 0;
  for (;;) {
    const next = await parts.next();
    if (next.done) return { ...facts, rows, header: next.value };
    rows += next.value.rows;
    yield next.value;
  }
}
