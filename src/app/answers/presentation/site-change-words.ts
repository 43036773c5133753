import { z } from 'zod';
import { counted, countText, figureText } from '../../../core/text/amounts.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';

/** The fields of a row of mart.site_changes that identify the kind of change. */
export const NamedChange = z.strictObject({
  change: z.string(),
  segmentation: z.string(),
  segment: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type NamedChange = Typed<typeof NamedChange>;

type Words = (pages: number, own: NamedChange) => string;

/** The sentences about one or more pages. */
const WORDS: ReadonlyMap<string, Words> = new Map(
  Object.entries({
    robots_denied: (pages) => `robots.txt now blocks ${pagesText(pages)} that ${were(pages)} indexable`,
    noindex: (pages) => `${pagesText(pages)} that ${were(pages)} indexable now ${have(pages)} noindex`,
    canonicalised: (pages) =>
      `${pagesText(pages)} that ${were(pages)} indexable now ${have(pages)} the canonical of another page`,
    client_error: (pages) => `${pagesText(pages)} newly ${answer(pages)} with a client error`,
    server_error: (pages) => `${pagesText(pages)} newly ${answer(pages)} with a server error`,
    title: (pages) => `the title of ${pagesText(pages)} changed`,
    canonical: (pages) => `the canonical of ${pagesText(pages)} changed`,
    start_page: (_, { after }) => `the start page is no longer indexable (${stateText(after)})`,
    robots_txt: () => 'robots.txt changed',
    sitemap: (_, { segmentation }) =>
      segmentation === '(file)' ? 'a sitemap can no longer be read' : 'no page is in a sitemap anymore',
    clicks: (_, { before, after }) => {
      const [former, now] = [Number(before), Number(after)];
      const percent = figureText((100 * (former - now)) / former, 0);
      return `clicks fell by ${percent} % within a week, from ${countText(former)} to ${countText(now)}`;
    },
  } satisfies Record<string, Words>),
);

const pagesText = (pages: number): string => counted(pages, 'page');
const were = (pages: number): string => (pages === 1 ? 'was' : 'were');
const have = (pages: number): string => (pages === 1 ? 'has' : 'have');
const answer = (pages: number): string => (pages === 1 ? 'answers' : 'answer');

/**
 * Returns a change of a website as a sentence: `robots.txt now blocks 12 pages that were indexable: 8,061 clicks at
 * risk`.
 */
export function siteChangeWords(own: NamedChange, pages: number | null, clicks: number | null): string {
  const { change, segmentation, segment } = own;
  const text = WORDS.get(change)?.(pages ?? 0, own) ?? change;
  const name = segmentation === '(directory)' ? segment : `${segment} (${segmentation})`;
  const place = ['(site)', '(file)'].includes(segmentation) ? '' : ` in ${name}`;
  const risk = change === 'clicks' || !clicks ? '' : `: ${counted(clicks, 'click')} at risk`;
  return `${text}${place}${risk}`;
}

const stateText = (state: string | null): string =>
  state === 'robots_denied' ? 'blocked by robots.txt' : String(state).replaceAll('_', ' ');
