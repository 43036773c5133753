import type { Field } from '../../../project/model/field.ts';
import { limitsOf } from '../../../project/settings/limits.ts';
import { type DataSource, uniqueFields } from '../../../service/api/resources/data-source.ts';
import { SEARCH_CEILING } from '../../../service/api/resources/search.ts';
import { describedRows, type RouteKind } from '../route.ts';
import { describingRequests, isStreamed } from '../streamed-sources.ts';
import { extractSearch, SEARCH_PAGE_ROWS } from './extract-search.ts';

/** Pages of searches (docs/decisions/service.md). */
export const SEARCH_ROUTE: RouteKind = {
  reason: 'a search, because the export is refused',
  formats: (source) => (isStreamed(source) ? ['json'] : []),
  suits: (rows) => rows !== null && rows <= SEARCH_CEILING,
  requests: (source, rows) => describingRequests(source) + Math.ceil((rows ?? 0) / SEARCH_PAGE_ROWS),
  async open({ client, settings, signal }, unit) {
    const { source, catalogue, reported } = describedRows(unit);
    const { oql } = unit.planned;
    const key = sortableKey(source, catalogue);
    const limits = limitsOf(settings);
    const request = { source, fields: catalogue, oql, total: reported, key, limits };
    const parts = await extractSearch(client, request, unit.folder, signal);
    // One page is one answer, which holds no row twice.
    const pageKey = reported > SEARCH_PAGE_ROWS ? key : [];
    return { reported, catalogue, shown: 'every', filter: oql, parts, key: pageKey };
  },
};

/** Fields that no two rows share, if all of them are requested and sortable. */
function sortableKey(source: DataSource, catalogue: readonly Field[]): readonly string[] {
  const key = uniqueFields(source);
  const isSortable = (name: string): boolean =>
    catalogue.some((field) => field.name === name && field.can_sort !== false);
  return key.every(isSortable) ? key : [];
}
