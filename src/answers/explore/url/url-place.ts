import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import { rowsOf } from '../chosen-crawls.ts';

/** One URL in one crawl: what is asked of it binds `$project`, `$crawl` and `$url` where the SQL has them. */
export interface UrlPlace {
  readonly url: string;
  readonly crawl: UrlCrawl;
  /** The most rows of links and of other pages. */
  readonly limit: number;
  rows<T>(sql: string, more?: Readonly<Record<string, string>>): Promise<readonly T[]>;
  /** This place, whose reads end with another signal. */
  within(signal: AbortSignal): UrlPlace;
}

/** The crawl in which a URL is looked at, with what of it is loaded. */
export interface UrlCrawl {
  readonly crawl_id: string;
  readonly project_id: string;
  readonly project: string;
  readonly crawl_number: number | null;
  /** ISO 8601, UTC. */
  readonly ended_at: string | null;
  /** Empty where its record is not loaded. */
  readonly config: string;
  readonly has_links: boolean;
  readonly has_structured_data: boolean;
  /** Why the crawl does not cover the whole site; null where it does. */
  readonly scope_note: string | null;
}

/** A part of the answer that has nothing says why. */
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
    rows: (sql, more = {}) => {
      const named = Object.entries(known).filter(([name]) => new RegExp(`\\$${name}\\b`).test(sql));
      return rowsOf(warehouse, sql, new Map([...named, ...Object.entries(more)]), signal);
    },
  };
}
