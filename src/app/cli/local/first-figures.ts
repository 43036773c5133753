import type { ServiceClient } from '../../../client/http/service-client.ts';
import type { Oql } from '../../../client/oql/oql.ts';
import { type AggregateRow, aggregateRows, COUNT_COLUMN } from '../../../client/resources/aggregates.ts';
import type { IssueSettings } from '../../../etl/project/settings/issue-settings.ts';

/** Figures of a crawl's pages before it is loaded. */
export interface FirstFigures {
  /** Pages by HTTP status, or without one. */
  readonly statuses: readonly { readonly status_code: number | null; readonly pages: number }[];
  /** Pages by issue, for issues that the service's own fields show. Issues without pages are omitted. */
  readonly issues: readonly { readonly issue: string; readonly pages: number }[];
}

const equals = (field: string, value: string | number | boolean): Oql => ({
  field: [field, 'equals', value],
});
/** Pages without an immediate refresh to another URL. */
const STAYS: Oql = {
  or: [{ field: ['meta_refresh_delay', 'has_no_value', ''] }, { field: ['meta_refresh_delay', 'gt', 0] }],
};
const status = (from: number): Oql => ({ field: ['status_code', 'between', [from, from + 99]] });
const lacks = (field: string): Oql => ({
  and: [equals('indexable', true), equals(`${field}_evaluation`, 'not_set')],
});
const shares = (field: string): Oql => ({
  and: [equals('indexable', true), equals(`has_duplicate_${field}_issue`, true)],
});

/** Issues in the service's fields, named like the models that later find the same pages (sql/issues). */
const FIRST_ISSUES: Readonly<Record<string, Oql>> = {
  server_error: status(500),
  duplicate_title: shares('title'),
  missing_title: lacks('title'),
  noindex: { and: [equals('status_code', 200), equals('meta_robots_index', false), STAYS] },
  missing_description: lacks('description'),
  missing_h1: lacks('h1'),
};

/** Issues of linked pages, which are unknown for a list of URLs. */
const LINKED_ISSUES: typeof FIRST_ISSUES = {
  client_error: { and: [status(400), { field: ['nb_inlinks', 'gt', 0] }] },
};

/** Counts the pages of a crawl that has ended; issues that are off in the settings are omitted. */
export async function readFirstFigures(
  client: ServiceClient,
  crawl_id: string,
  { isList, changes }: { readonly isList: boolean; readonly changes: IssueSettings },
): Promise<FirstFigures> {
  const asked = Object.entries(isList ? FIRST_ISSUES : { ...LINKED_ISSUES, ...FIRST_ISSUES });
  const aggs = [{ fields: [{ name: 'status_code' }] }, ...asked.map(([, oql]) => ({ oql }))];
  const path = { crawl_id, data_type: 'pages' } as const;
  const answer = await client.call('aggregateCrawl', { ...path, body: { aggs } });
  const rows = (index: number, ...keys: string[]): AggregateRow[] =>
    aggregateRows(answer.aggs[index], [...keys, COUNT_COLUMN], `/data/crawl/${crawl_id}/pages/aggs`);
  return {
    statuses: rows(0, 'status_code').map(({ status_code, [COUNT_COLUMN]: pages }) => ({
      status_code: status_code === null ? null : Number(status_code),
      pages: Number(pages),
    })),
    issues: asked
      .map(([issue], index) => ({ issue, pages: Number(rows(index + 1)[0]?.[COUNT_COLUMN]) }))
      .filter(({ issue, pages }) => pages > 0 && changes[issue] !== false),
  };
}
