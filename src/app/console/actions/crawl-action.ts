import { z } from 'zod';
import { CrawlConfigInput } from '../../../client/resources/crawl-configs.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { address } from '../../../core/text/setting-types.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';

/** URLs per second that a site accepts from a stranger. */
const POLITE_SPEED = 5;
const Website = address('the address of a website is expected, such as https://www.example.com/');
const Count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'a whole number above 0 is expected')
  .transform(Number);
const Speed = z.coerce.number('a number is expected').pipe(CrawlConfigInput.shape.max_speed);

/** An operator's request for a crawl: `crawlhouse crawl` with some of its flags. It needs no plan. */
const CrawlRequest = z
  .strictObject({
    action: z.literal('crawl'),
    url: Website,
    max_urls: Count.nullable(),
    speed: Speed.nullable(),
    /** The operator owns the site. */
    own: z.boolean(),
  })
  .refine(({ speed, own }) => own || (speed ?? 0) <= POLITE_SPEED, {
    path: ['speed'],
    error: `more than ${POLITE_SPEED} URLs per second needs a confirmation that the site is yours`,
  });
type CrawlRequest = Typed<typeof CrawlRequest>;

/**
 * Starts a crawl, or continues the interrupted crawl. `finish` ends the interrupted crawl with the pages that it
 * fetched.
 */
export type CrawlAction = CrawlRequest | { readonly action: 'resume'; readonly finish: boolean };

/** The names of the fields in messages. */
const NAMES: Readonly<Record<string, string>> = {
  url: 'URL',
  max_urls: 'Maximum URLs',
  speed: 'URLs per second',
};

/**
 * Reads the form of a crawl. Adds `https://` to an address without a scheme.
 *
 * @throws CrawlhouseError `usage`
 */
export function readCrawl(fields: URLSearchParams): CrawlRequest {
  const text = (name: string): string => (fields.get(name) ?? '').trim();
  const { success, data, error } = CrawlRequest.safeParse({
    action: 'crawl',
    url: webAddress(text('url')),
    max_urls: text('max_urls') || null,
    speed: text('speed') || null,
    own: fields.get('own') === 'on',
  });
  if (success) return data;
  const [issue] = error.issues;
  const name = lookUp(NAMES, String(issue?.path[0]));
  throw new CrawlhouseError('usage', `${name}: ${issue?.message}`, { hint: 'correct it, then try again' });
}

/** Returns the address of a website as typed, with a scheme. */
function webAddress(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

/** @param publicOnly refuses private addresses, even as the start URL */
export function wordsOfCrawl(action: CrawlAction, publicOnly: boolean): readonly string[] {
  const words = publicOnly ? ['crawl', '--public-only'] : ['crawl'];
  if (action.action === 'resume') return [...words, '--resume', ...(action.finish ? ['--finish'] : [])];
  const { url, max_urls, speed, own } = action;
  return [
    ...words,
    ...(max_urls === null ? [] : [`--max-urls=${max_urls}`]),
    ...(speed === null ? [] : [`--speed=${speed}`]),
    ...(own ? ['--i-own-this-site'] : []),
    '--',
    url,
  ];
}
