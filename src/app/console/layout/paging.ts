import { z } from 'zod';
import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { withQuery } from './addresses.ts';

/** The position of a page in a list. */
export const Paging = z.strictObject({
  /** From 1. */
  page: z.number(),
  pages: z.number(),
  total: z.number(),
});
export type Paging = Typed<typeof Paging>;

/** Returns the requested page, or the last one if it is beyond the end. */
export function pagingOf(
  asked: string | null,
  total: number,
  size: number,
): Paging & { readonly from: number } {
  const pages = Math.max(1, Math.ceil(total / size));
  const wanted = /^\d{1,9}$/.test(asked ?? '') ? Number(asked) : 1;
  const page = Math.min(Math.max(wanted, 1), pages);
  return { page, pages, total, from: (page - 1) * size };
}

/** Returns links to the other pages; empty for a single page. */
export function drawPaging(
  { page, pages }: Paging,
  {
    path,
    query,
    name = 'page',
  }: { readonly path: string; readonly query: URLSearchParams; readonly name?: string },
): Html | null {
  if (pages === 1) return null;
  const link = (to: number, text: string): Html | null =>
    to < 1 || to > pages
      ? null
      : html`<a class="button" href="${withQuery(path, query, { [name]: to === 1 ? null : String(to) })}">${text}</a>`;
  return html`<nav class="paging" aria-label="Pages of the list">${link(page - 1, 'Previous')}
<span>page ${countText(page)} of ${countText(pages)}</span> ${link(page + 1, 'Next')}</nav>
`;
}
