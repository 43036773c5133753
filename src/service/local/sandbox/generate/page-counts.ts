import { text } from '../../../../core/duckdb/duckdb.ts';

export const PAGE_TEXTS = ['title', 'h1', 'description'] as const;
export type PageText = (typeof PAGE_TEXTS)[number];

/** The counts of a crawl's other tables for its pages, so that the pages agree with them. */
export interface PageCounts {
  /** A table with one row a slot: the links that lead to it and from it, its items, its clusters. */
  readonly table: string;
  /** The tables that the crawl has; where it has none, the pages' fields are made up. */
  readonly has: { readonly links: boolean; readonly items: boolean; readonly clusters: boolean };
  /** Titles, headings and descriptions that more than one page has. */
  readonly repeated: Readonly<Record<PageText, readonly string[]>>;
}

/** SQL that holds where another page of the crawl has the same text; a crawl without pages has no counts. */
export function isRepeated(counts: PageCounts | undefined, field: PageText): string {
  if (counts === undefined) return 'shares_title';
  const texts = counts.repeated[field];
  return texts.length === 0 ? 'false' : `coalesce(${field} IN (${texts.map(text).join(', ')}), false)`;
}
