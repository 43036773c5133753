import { z } from 'zod';
import { counted } from '../../../../core/text/amounts.ts';
import { reasonWords } from '../../presentation/reason-words.ts';
import { columnName } from '../../presentation/value-text.ts';
import type { UrlPlace } from './url-place.ts';

export interface SeenPage {
  readonly status_code: number | null;
  readonly observation: string | null;
  readonly observation_reason: string | null;
}

/** Returns the status of a page, or why it has none. */
export function statusText({
  status_code,
  observation_reason: reason,
}: Pick<SeenPage, 'status_code' | 'observation_reason'>): string {
  return status_code === null ? reasonWords(reason ?? 'no_answer') : String(status_code);
}

/** Returns the depth as text. A page counts as unlinked only if the crawl covers the whole site and counted no link. */
export function depthText(
  { scope_note }: Pick<UrlPlace['crawl'], 'scope_note'>,
  { depth, nb_inlinks }: { readonly depth: number | null; readonly nb_inlinks: number | null },
): string {
  if (depth !== null) return counted(depth, 'click');
  return scope_note === null && nb_inlinks === 0 ? 'no link leads here' : 'unknown';
}

/** Returns why the crawl did not read the content of the page; null if it did. */
export function whyUnread(page: SeenPage): string | null {
  if (isRedirect(page)) return 'the URL redirects';
  const { observation, observation_reason: reason } = page;
  return observation === null || observation === 'read' ? null : reasonWords(reason ?? observation);
}

const isRedirect = ({ status_code: status }: SeenPage): boolean =>
  status !== null && status >= 300 && status < 400;

/** Why parts and texts of a page are empty, by their names. */
interface Reasons {
  readonly empty: Readonly<Record<string, string>>;
}

/** Returns why a part has no rows, as a sentence. */
export function why({ empty }: Reasons, part: string): string {
  const text = empty[part] ?? 'no data';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Returns why a text of the page is unknown; null if the page has none. */
export function unknownText({ empty }: Reasons, name: string): { value: string } | null {
  const reason = empty[name];
  return reason === undefined ? null : { value: `${columnName(name)} ${reason}` };
}

/** What a part without rows says, and the data that shows it: fields of the pages, or any row of the table. */
interface Shown {
  readonly none: string;
  /** The data as text. */
  readonly what: string;
  readonly columns: readonly string[];
  readonly table?: 'mart.links' | 'mart.structured_data';
}

/** Returns why a part has no rows: there is nothing, or it is unknown because the crawl does not show it. */
export async function whyNone(
  { rows }: Pick<UrlPlace, 'rows'>,
  { none, what, columns, table }: Shown,
): Promise<string> {
  const names = columns.map((column) => `'${column}'`).join(', ') || 'NULL';
  const some = table === undefined ? '' : ` OR EXISTS (SELECT 1 FROM ${table} WHERE crawl_id = $crawl)`;
  const [observed] = await rows(
    z.strictObject({ is_observed: z.boolean() }),
    `SELECT true AS is_observed WHERE EXISTS (
       SELECT 1 FROM mart.crawl_columns
       WHERE crawl_id = $crawl AND dataset = 'crawl_pages' AND column_name IN (${names}))${some}`,
  );
  return observed === undefined ? `unknown: the data of the crawl contains no ${what}` : none;
}

/** Returns why a part of the page's content has no rows. */
export async function whyNothingOn(
  place: Pick<UrlPlace, 'rows'>,
  page: SeenPage | null,
  shown: Shown,
): Promise<string> {
  if (page === null) return 'the crawl does not contain this page';
  const unread = isRedirect(page) ? null : whyUnread(page);
  if (unread !== null) return `unknown: the crawl did not read this page (${unread})`;
  return whyNone(place, shown);
}
