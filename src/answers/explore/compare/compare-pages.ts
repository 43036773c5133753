import type { PageSegment } from '../segments.ts';
import { urlsOf } from '../within-segment.ts';
import { comparedOfAnswers, FIELDS, partWords, untoldParts } from './comparable-columns.ts';
import {
  type AskOfTwo,
  type ComparedCrawl,
  type ComparedSegment,
  nameOfCrawl,
  whyUndivided,
} from './compared-crawls.ts';

type Field = keyof typeof FIELDS;

/** Pages that came, went, or are in both crawls with another value. */
export interface ComparedPages {
  /** `changed`: in any of the fields. */
  readonly change: 'added' | 'removed' | 'changed' | Field;
  readonly title: string;
  /** Null where one of the exports lacks the field, or one of the crawls the segmentation. */
  readonly pages: number | null;
  readonly why: string | null;
}

/**
 * How many pages came, went, and changed in each field. The rule is that of mart.page_changes: a field counts where both
 * exports tell it alike. In a segment are pages that the later crawl has there, and removed ones that the earlier one had.
 */
export async function readComparedPages(
  ask: AskOfTwo,
  [from, to]: readonly [ComparedCrawl, ComparedCrawl],
  within: ComparedSegment,
): Promise<readonly ComparedPages[]> {
  const crawls = new Map([from, to].map((crawl) => [crawl.crawl_id, crawl]));
  const untold = await untoldParts(ask, [from.crawl_id, to.crawl_id], Object.keys(FIELDS));
  const fields = (Object.keys(FIELDS) as Field[]).filter((field) => !untold.has(field));
  const [counted] = await ask<Record<ComparedPages['change'], number>>(
    countedChanges(fields, comparedOfAnswers(untold), within),
  );
  const row = (change: ComparedPages['change'], title: string): ComparedPages => {
    const why = whyUndivided(within);
    return { change, title, pages: why === null ? (counted?.[change] ?? 0) : null, why };
  };
  return [
    ...[row('added', 'pages added'), row('removed', 'pages removed'), row('changed', 'pages changed')],
    ...(Object.entries(FIELDS) as [Field, string][]).map(([field, name]) => {
      const title = `${name} changed`;
      const lack = untold.get(field);
      if (lack === undefined) return row(field, title);
      const without = nameOfCrawl(crawls.get(lack.crawl_id) ?? from);
      const why = `the export of ${without} lacks ${partWords(field, lack.part)}`;
      return { change: field, title, pages: null, why };
    }),
  ];
}

/** Each page once, in one join. */
function countedChanges(
  fields: readonly Field[],
  ofAnswers: ReadonlySet<string>,
  within: PageSegment,
): string {
  const counted = (condition: string, name: string): string =>
    `count(CASE WHEN ${condition} THEN 1 END) AS ${name}`;
  const alike = 'former.status_code IS NOT DISTINCT FROM later.status_code';
  const differs = fields.map((field) => {
    const differs = `former.${field} IS DISTINCT FROM later.${field}`;
    return ofAnswers.has(field) ? `${differs} AND ${alike}` : differs;
  });
  const both = 'former.url IS NOT NULL AND later.url IS NOT NULL';
  const counts = [
    counted('former.url IS NULL', 'added'),
    counted('later.url IS NULL', 'removed'),
    counted(`${both} AND (${['false', ...differs].join(' OR ')})`, 'changed'),
    ...fields.map((field, index) => counted(`${both} AND ${differs[index]}`, field)),
  ];
  const side = (crawl: 'from' | 'to'): string =>
    `(SELECT ${['url', ...fields].map((field) => `pages.${field}`).join(', ')}
      FROM mart.pages AS pages WHERE pages.crawl_id = $${crawl})`;
  return `
    SELECT ${counts.join(',\n      ')}
    FROM ${side('from')} AS former
    FULL JOIN ${side('to')} AS later ON later.url = former.url
    WHERE later.url IS NOT NULL ${urlsOf('later', within, '$to')}
      OR later.url IS NULL ${urlsOf('former', within, '$from')}`;
}
