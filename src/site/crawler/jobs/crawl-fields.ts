import type { FieldEntry, FieldType } from '../../../client/fields/field-entry.ts';
import {
  CLUSTER_FIELDS as CLUSTERS,
  LINK_FIELDS as LINKS,
  OWN_LINK_FIELDS,
  REQUEST_FIELDS as REQUESTS,
  STRUCTURED_DATA_FIELDS,
} from '../../../client/fields/report-fields.ts';
import { columnType } from '../records/columns.ts';

/** A field of a final table: its name and type as in the service, and the SQL that computes it. */
export interface CrawlField {
  readonly name: string;
  readonly type: FieldType;
  readonly arity: 'one' | 'many';
  readonly sql: string;
}

/** Returns the column of a field. */
export function fieldColumn({ name, sql, ...field }: CrawlField): string {
  return `CAST(${sql} AS ${columnType(field)}) AS "${name}"`;
}

/** Returns the fields of a table under their own names, except for those that other SQL computes. */
function fieldsOf(
  table: Readonly<Record<string, FieldEntry>>,
  from: string,
  others: Readonly<Record<string, string>> = {},
): CrawlField[] {
  const sqls = new Map(Object.entries(others));
  return Object.entries(table).map(([name, { type, arity }]) => {
    return { name, type, arity, sql: sqls.get(name) ?? `${from}."${name}"` };
  });
}

const URL_PARTS = 'ext first_path has_params host path querystring_key querystring_keyvalue'.split(' ');
const endSql = (end: 'origin' | 'target'): Readonly<Record<string, string>> =>
  Object.fromEntries(URL_PARTS.map((part) => [`${end}_${part}`, `${end}.${part}`]));

/** Over `link`, a row of `crawl_links`, and the URLs at both ends. */
export const LINK_FIELDS = fieldsOf({ ...LINKS, ...OWN_LINK_FIELDS }, 'link', {
  origin: 'origin.url',
  target: 'target.url',
  target_status: 'target.status_code',
  target_status_range: 'target.status_code_range',
  target_fetched: 'coalesce(target.fetched, false)',
  juice:
    'CASE WHEN link.follow AND link.intern AND link.is_page AND link.origin <> link.target THEN coalesce(1 / share.links, 0) ELSE 0 END',
  ...endSql('origin'),
  ...endSql('target'),
});

/** Over `item`, a row of `fetched_items`. */
export const ITEM_FIELDS = fieldsOf(STRUCTURED_DATA_FIELDS, 'item');

/** Fields of requests that are not for pages, over `request`, a row of `other_requests`, and its redirects. */
export const REQUEST_FIELDS = fieldsOf(REQUESTS, 'request', {
  final_redirect_location: 'redirect.final_url',
  final_redirect_status: 'redirect.final_status',
});

/** Of near duplicates, over `cluster`, a row of the job `cluster_similarities`. */
export const CLUSTER_FIELDS = fieldsOf(CLUSTERS, 'cluster');
