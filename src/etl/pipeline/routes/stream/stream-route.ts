import type { ServiceClient } from '../../../../client/http/service-client.ts';
import type { StreamedResponse } from '../../../../client/http/transport.ts';
import type { Oql } from '../../../../client/oql/oql.ts';
import { type DataSource, describeSource } from '../../../../client/resources/data-source.ts';
import type { ExportFileType } from '../../../../client/resources/search.ts';
import { type Limits, mostContent } from '../../../../core/net/download-limits.ts';
import type { DownloadFacts, Part } from '../../../project/model/download.ts';
import { limitsOf } from '../../../project/settings/limits.ts';
import { refuseForeignType } from '../download/recognize-content.ts';
import { type BodyFacts, verifiedBody } from '../download/verified-body.ts';
import { type PartOptions, writeParts } from '../download/write-parts.ts';
import {
  describedRows,
  describingRequests,
  isStreamed,
  type RouteKind,
  type RouteSettings,
} from '../route.ts';

/** One streamed export (api-spec.md §4.1). */
export const STREAM_ROUTE: RouteKind = {
  reason: 'a streamed export carries every row',
  // JSON distinguishes a number from a text and a list from a single value; CSV does not.
  formats: (source) => (isStreamed(source) ? ['json', 'csv'] : []),
  cheaper: 'csv',
  suits: () => true,
  requests: (source) => describingRequests(source) + 1,
  async open({ client, settings, signal }, routed) {
    const { source, fields, reported } = describedRows(routed);
    const { oql } = routed.task;
    const request = {
      source,
      fields: fields.map((field) => field.name),
      oql,
      format: routed.chosen.format === 'csv' ? 'csv' : 'json',
      gzip: wantsGzip(settings.compression, settings.base_url ?? ''),
      reported,
      limits: limitsOf(settings),
      onRows: routed.onRows,
    } as const;
    const parts = await extractStream(client, request, routed.folder, signal);
    return { reported, fields, shown: 'every', filter: oql, parts };
  },
};

function wantsGzip(compression: RouteSettings['compression'], baseUrl: string): boolean {
  if (compression !== 'auto') return compression === 'gzip';
  const host = new URL(baseUrl).hostname;
  return host !== 'localhost' && host !== '[::1]' && !host.startsWith('127.');
}
export interface StreamRequest {
  readonly source: DataSource;
  readonly fields: readonly string[];
  readonly oql: Oql | null;
  readonly format: ExportFileType;
  readonly gzip: boolean;
  /** Rows that the service reports. */
  readonly reported: number;
  readonly limits: Limits;
  readonly onRows?: PartOptions['onRows'];
}

/**
 * Downloads rows by one streamed export (api-spec.md §4.1), part by part; resolves when the service starts it. A part
 * may be staged immediately, but is valid only after the generator has returned. Until then, the download may still
 * break.
 *
 * @throws CrawlhouseError retriable when the stream is refused for now, cut, reset or idle; `over_limit`; TooManyRows
 */
export async function extractStream(
  client: ServiceClient,
  request: StreamRequest,
  folder: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<Part, DownloadFacts>> {
  const body = { fields: [...request.fields], ...(request.oql ? { oql: request.oql } : {}) };
  const { source, format, gzip } = request;
  const response = await client.export(source, body, { fileType: format, gzip }, signal);
  return partsOf(response, request, folder);
}

async function* partsOf(
  response: StreamedResponse,
  request: StreamRequest,
  folder: string,
): AsyncGenerator<Part, DownloadFacts> {
  const facts: BodyFacts = { bytes: 0, sha256: '' };
  const { source, format, fields, reported: mostRows, limits, onRows } = request;
  const file = `${fileName(source)}.${format === 'csv' ? 'csv' : 'jsonl'}`;
  const { body, contentEncoding: encoding } = response;
  try {
    refuseForeignType(response.contentType, { format, file, fields });
  } catch (error) {
    body.on('error', () => {}).destroy();
    throw error;
  }
  const content = verifiedBody(body, `export of ${describeSource(source)}`, facts, {
    encoding,
    bytes: mostContent(mostRows, limits),
    rate: limits.rate,
  });
  const mostRecord = limits.record;
  const parts = writeParts(content, { folder, format, file, fields, mostRows, mostRecord, onRows });
  let rows = 0;
  for (;;) {
    const next = await parts.next();
    if (next.done) return { ...facts, rows, header: next.value };
    rows += next.value.rows;
    yield next.value;
  }
}

/** Returns the name of the rows in messages and rejects. */
function fileName(source: DataSource): string {
  if (source.kind === 'crawl') return source.dataType;
  if (source.kind === 'crawl_over_crawl') return 'pages';
  return source.kind === 'log_events' ? 'events' : `log_pages_${source.granularity}`;
}
