import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import { rowsOf } from '../chosen-crawls.ts';

/** One URL in one crawl. Its statements bind `$project`, `$crawl` and `$url` if the SQL names them. */
export interface UrlPlace {
  readonly url: string;
  readonly crawl: UrlCrawl;
  /** The maximum number of links and of other pages. */
  readonly limit: number;
  rows<Schema extends z.ZodType>(
    schema: Schema,
    sql: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<readonly Typed<Schema>[]>;
  /** Returns this place with another signal for its reads. */
  within(signal: AbortSignal): UrlPlace;
}

export const UrlCrawl = z.strictObject({
  crawl_id: z.string(),
  project_id: z.string(),
  project: z.string(),
  crawl_number: z.number().nullable(),
  /** ISO 8601, UTC. */
  ended_at: z.string().nullable(),
  /** Empty if the record of the crawl is not loaded. */
  config: z.string(),
  has_links: z.boolean(),
  has_structured_data: z.boolean(),
  /** Why the crawl does not cover the whole site; null if it does. */
  scope_note: z.string().nullable(),
});
export type UrlCrawl = Typed<typeof UrlCrawl>;

/** A part of the answer, or why it is empty. */
export interface FoundOrWhy<T> {
  readonly found: T;
  readonly why: string | null;
}

export function urlPlace(
  warehouse: CatalogReader,
  asked: Pick<UrlPlace, 'url' | 'crawl' | 'limit'>,
  signal: AbortSignal,
): UrlPlace {
  const { url, crawl } = asked;
  const known = { project: crawl.project_id, crawl: crawl.crawl_id, config: crawl.config, url };
  return {
    ...asked,
    within: (until) => urlPlace(warehouse, asked, until),
    rows: (schema, sql, more = {}) => {
      const named = Object.entries(known).filter(([name]) => new RegExp(`\\$${name}\\b`).test(sql));
      return rowsOf(warehouse, schema, sql, new Map([...named, ...Object.entries(more)]), signal);
    },
  };
}
