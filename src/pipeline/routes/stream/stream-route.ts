import { limitsOf } from '../../../project/settings/limits.ts';
import { describedRows, type RouteKind, type RouteSettings } from '../route.ts';
import { describingRequests, isStreamed } from '../streamed-sources.ts';
import { extractStream } from './extract-stream.ts';

/** One streamed export (api-spec.md §4.1). */
export const STREAM_ROUTE: RouteKind = {
  reason: 'a streamed export carries every row',
  // JSON tells a number from a text and a list from a lone value; CSV cannot.
  formats: (source) => (isStreamed(source) ? ['json', 'csv'] : []),
  cheaper: 'csv',
  suits: () => true,
  requests: (source) => describingRequests(source) + 1,
  async open({ client, settings, signal }, unit) {
    const { source, catalogue, reported } = describedRows(unit);
    const { oql } = unit.planned;
    const request = {
      source,
      fields: catalogue.map((field) => field.name),
      oql,
      format: unit.chosen.format === 'csv' ? 'csv' : 'json',
      gzip: wantsGzip(settings.compression, settings.base_url ?? ''),
      reported,
      limits: limitsOf(settings),
      onRows: unit.onRows,
    } as const;
    const parts = await extractStream(client, request, unit.folder, signal);
    return { reported, catalogue, shown: 'every', filter: oql, parts };
  },
};

function wantsGzip(compression: RouteSettings['compression'], baseUrl: string): boolean {
  if (compression !== 'auto') return compression === 'gzip';
  const host = new URL(baseUrl).hostname;
  return host !== 'localhost' && host !== '[::1]' && !host.startsWith('127.');
}
