import type { AskCrawls } from '../chosen-crawls.ts';

/** Fields that are compared, as in mart.page_changes, by what people call them. */
export const FIELDS = {
  status_code: 'HTTP status',
  is_indexable: 'indexability',
  title: 'title',
  h1: 'H1',
  meta_description: 'description',
  rel_canonical: 'canonical',
} as const;

/** What the export of one of two crawls tells of a column, and that of the other does not. */
export interface UntoldPart {
  /** The crawl whose export does not tell it. */
  readonly crawl_id: string;
  /** A field, or a part of a column that is made of several (mart.crawl_columns). */
  readonly part: string;
}

const TOLD = `
  SELECT told.column_name, told.part, min(told.crawl_id) AS crawl_id, count(*) AS crawls
  FROM mart.crawl_columns AS told
  WHERE told.crawl_id IN ($from, $to) AND told.dataset = 'crawl_pages'
  GROUP BY told.column_name, told.part
  ORDER BY told.column_name, told.part`;

/**
 * Why columns of `mart.pages` can't be compared between two crawls; those that can are left out. A column is compared
 * where both exports tell the same parts of it: elsewhere one crawl has NULL for what nobody asked.
 */
export async function untoldParts(
  ask: AskCrawls,
  [from, to]: readonly [string, string],
  columns: readonly string[],
): Promise<ReadonlyMap<string, UntoldPart>> {
  const rows = await ask<{ column_name: string; part: string; crawl_id: string; crawls: number }>(TOLD, {
    from,
    to,
  });
  const told = Map.groupBy(rows, ({ column_name }) => column_name);
  return new Map(
    columns.flatMap((column): [string, UntoldPart][] => {
      const parts = told.get(column);
      if (parts === undefined) return [[column, { crawl_id: from, part: column }]];
      const lone = parts.find(({ crawls }) => Number(crawls) === 1);
      if (lone === undefined) return [];
      return [[column, { crawl_id: lone.crawl_id === from ? to : from, part: lone.part }]];
    }),
  );
}

/** What is read of an answer. */
export const OF_ANSWER: ReadonlySet<string> = new Set(['title', 'h1', 'meta_description', 'rel_canonical']);

/**
 * The columns of which a difference counts only where the status is the same, as in mart.page_changes: a page that stops
 * answering has changed once. None where a crawl does not tell the status.
 */
export const comparedOfAnswers = (untold: ReadonlyMap<string, UntoldPart>): ReadonlySet<string> =>
  untold.has('status_code') ? new Set() : OF_ANSWER;

/** A part as people are told of it. */
export function partWords(column: string, part: string): string {
  return part === column ? part : `a field that tells the ${part} of ${column}`;
}
