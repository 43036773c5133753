import { z } from 'zod';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { address } from '../../../core/text/setting-types.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { CrawlFileKeys } from '../../../etl/project/settings/crawls/crawl-file.ts';
import { siteConfig } from '../../operations/crawls/site-settings.ts';
import type { FetchSettings } from '../readers/readers.ts';

const Hop = z.strictObject({
  url: z.string(),
  state: z.enum(['fetched', 'failed', 'denied', 'no_robots', 'outside', 'left_out']),
  /** The line of robots.txt that decides; null: none. */
  rule: z.strictObject({ line: z.number(), text: z.string() }).nullable(),
  status: z.number().nullable(),
  error: z.string().nullable(),
  content_type: z.string().nullable(),
  /** Received bytes of the body. */
  bytes: z.number().nullable(),
  milliseconds: z.number().nullable(),
});

export const UrlTest = z.strictObject({
  url: z.string(),
  /** Why the test ended without a result. */
  problem: z.string().nullable(),
  /** The URL, then the targets of its redirects. */
  hops: z.array(Hop),
  /** The page at the end; null if there is none. */
  page: z
    .strictObject({
      title: z.string().nullable(),
      canonical: z.string().nullable(),
      meta_robots: z.array(z.string()),
      /** Null: a file, or unread content. */
      is_indexable: z.boolean().nullable(),
      not_indexable: z.string().nullable(),
      warnings: z.array(z.string()),
      /** Values as JSON; null: the page has none. */
      scraped: z.array(z.strictObject({ field: z.string(), value: z.string().nullable() })),
    })
    .nullable(),
});
export type UrlTest = Typed<typeof UrlTest>;

/** The tested URL. It contains no credentials, because it is written to the audit log and to addresses. */
export const TestedUrl = address('a URL is expected, such as https://www.example.com/page');

/**
 * Returns the URL to test from a form or a query, or null.
 *
 * @throws CrawlhouseError `usage`, without the URL in its message
 */
export function testedUrl(fields: URLSearchParams): string | null {
  const text = fields.get('test')?.trim() ?? '';
  if (text === '') return null;
  const { data, error } = TestedUrl.safeParse(text);
  if (data !== undefined) return data;
  throw new CrawlhouseError('usage', `URL to test: ${error?.issues[0]?.message}`, {
    hint: 'correct it, then try again',
  });
}

/** Limits parallel tests, because a test may start a browser and a parser thread. */
const testing = new Semaphore(1);

interface TestedSite {
  readonly startUrl: string;
  readonly keys: CrawlFileKeys;
  /** Refuses private addresses, even for the start URL. */
  readonly publicOnly: boolean;
}

/** Fetches a URL with these settings of a website, as its next crawl would. Stores nothing. */
export async function testUrl(
  url: string,
  { startUrl, keys, publicOnly }: TestedSite,
  { rendering, crawl_proxy: proxy }: FetchSettings,
  signal: AbortSignal,
): Promise<UrlTest> {
  const { config, own } = siteConfig(startUrl, keys);
  try {
    return await testing.run(async () => {
      signal.throwIfAborted();
      const { tryUrl } = await import('../../../site/crawler/try-url.ts');
      const tried = await tryUrl(config, url, { sites: own.sites, rendering, proxy, publicOnly, signal });
      return { url, problem: null, ...tried, hops: [...tried.hops] };
    });
  } catch (thrown) {
    signal.throwIfAborted();
    const { message, hint } = toCrawlhouseError(thrown);
    return { url, problem: hint === null ? message : `${message}. ${hint}`, hops: [], page: null };
  }
}
