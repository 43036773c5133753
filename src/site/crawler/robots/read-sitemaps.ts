import { setImmediate as breathe } from 'node:timers/promises';
import { ownUrl, webUrl } from '../../../core/net/web-url.ts';
import { bytesAsCharacters, encodingName, openDecoder, utf16Of } from '../../../core/text/encodings.ts';
import { decodeContent } from '../fetch/content-encoding.ts';
import type { FetchedAnswer } from '../fetch/fetcher.ts';
import { leadsOn } from '../fetch/redirect-status.ts';
import type { Scope } from '../frontier/scope.ts';
import { locationOf } from '../parse/headers.ts';
import type { SitemapRecord } from '../records/records.ts';
import { type SitemapEntry, SitemapReader } from './sitemap-reader.ts';

/** Bytes of a sitemap, uncompressed, and its URLs (sitemaps.org). */
const MOST_BYTES = 52_428_800;
const MOST_URLS = 50_000;
/** Nested indexes that are followed unless the protocol is strict. */
const DEEPEST_INDEX = 4;
const MOST_FILES = 50_000;
const MOST_REDIRECTS = 5;
const GZIP = [['content-encoding', 'gzip']] as const;
/** Bytes between two pauses for other work. */
const PIECE = 262_144;

export interface SitemapOptions {
  readonly scope: Scope;
  /**
   * A sitemap lists only URLs of its own host and folder, at most 50,000, and an index lists no index. A sitemap that
   * robots.txt announces, directly or through an index, may list any URL of the crawl (sitemaps.org, "cross submits").
   */
  readonly isStrict: boolean;
  /** Sitemaps that robots.txt announces. */
  readonly announced?: ReadonlySet<string>;
  readonly fetch: (url: string, bytes: number) => Promise<FetchedAnswer>;
  readonly onRecords: (records: readonly SitemapRecord[]) => void;
  /** Called with the result of each file. */
  readonly onFile?: ((file: SitemapFile) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The limits for reading a site's sitemaps. */
  readonly budget?: ReturnType<typeof sitemapBudget>;
}

/** The result of a sitemap. */
interface SitemapFile {
  readonly url: string;
  /** The index that lists it; null for the first ones. */
  readonly index: string | null;
  readonly statusCode: number | null;
  /** Why it was not read completely; null if it was. */
  readonly error: string | null;
  /** The flaw of a sitemap that was read; null if there is none. */
  readonly flaw: string | null;
  /** URLs that it lists. */
  readonly urls: number;
}

interface QueuedFile {
  readonly url: string;
  readonly level: number;
  readonly index: string | null;
  readonly isAnnounced: boolean;
}

/**
 * Returns a budget that is enough for a crawl, because an index of indexes may list more than a whole crawl fetches.
 */
export function sitemapBudget(maxUrl: number, perSecond: number) {
  return {
    files: Math.min(MOST_FILES, Math.max(20, Math.ceil(maxUrl / 10))),
    ms: Math.max(20_000, (maxUrl / perSecond) * 1000),
  };
}

/**
 * Reads sitemaps and the files that sitemap indexes list. An unreadable sitemap yields nothing.
 *
 * @returns whether the budget ended the reading early, and the number of URLs that a strict reading skipped
 */
export async function readSitemaps(
  urls: readonly string[],
  options: SitemapOptions,
): Promise<{ readonly isCut: boolean; readonly passedOver: number }> {
  const { budget = { files: MOST_FILES, ms: Number.POSITIVE_INFINITY } } = options;
  const files = urls.map(
    (url): QueuedFile => ({ url, level: 0, index: null, isAnnounced: options.announced?.has(url) ?? false }),
  );
  let passedOver = 0;
  const known = new Set(urls);
  const startedAt = performance.now();
  for (const [place, file] of files.entries()) {
    options.signal?.throwIfAborted();
    if (place >= budget.files || performance.now() - startedAt > budget.ms) {
      for (const { url, index } of files.slice(place))
        options.onFile?.({ url, index, statusCode: null, error: 'over_budget', flaw: null, urls: 0 });
      return { isCut: true, passedOver };
    }
    const { children, left } = await readOne(file, options);
    passedOver += left;
    const isTooDeep = file.level >= (options.isStrict ? 1 : DEEPEST_INDEX);
    for (const child of isTooDeep ? [] : children) {
      if (known.has(child) || files.length >= MOST_FILES) continue;
      known.add(child);
      files.push({ ...file, url: child, index: file.url, level: file.level + 1 });
    }
  }
  return { isCut: false, passedOver };
}

/** Writes the records of one file; returns the sitemaps that it lists, and the number of skipped URLs. */
async function readOne(
  { url, index, isAnnounced }: QueuedFile,
  options: SitemapOptions,
): Promise<{ readonly children: readonly string[]; readonly left: number }> {
  const fetched = await fetchSitemap(url, options.fetch);
  const { statusCode, content: found } = fetched;
  if (found === null) {
    options.onFile?.({ url, index, statusCode, error: fetched.error, flaw: null, urls: 0 });
    return { children: [], left: 0 };
  }
  const { scope } = options;
  const folder = options.isStrict && !isAnnounced ? ownUrl(url) : null;
  let left = 0;
  const children: string[] = [];
  let records: SitemapRecord[] = [];
  let listed = 0;
  let urls = 0;
  let flaw: string | null = null;
  const reader = new SitemapReader({
    entry: (entry) => {
      urls++;
      flaw ??= flawOf(entry);
      const page = webUrl(entry.url, url);
      if (page === null || !scope.isInternal(page)) return;
      const isPassedOver =
        (options.isStrict && ++listed > MOST_URLS) || (folder !== null && !isBelow(page, folder));
      if (isPassedOver) left++;
      else records.push(recordOf(entry, { page, sitemap: url, scope }));
    },
    sitemap: (text) => {
      const child = webUrl(text, url);
      if (child === null) return;
      const isAllowed = isAnnounced ? scope.isInternal(child) : child.host === ownUrl(url).host;
      if (!options.isStrict || isAllowed) children.push(child.href);
    },
  });
  const decoder = openDecoder(encodingOf(found));
  for (let at = 0; at < found.length; at += PIECE) {
    reader.write(decoder.decode(found.subarray(at, at + PIECE), { stream: true }));
    options.onRecords(records);
    records = [];
    await breathe();
  }
  reader.write(decoder.decode());
  reader.close(fetched.error !== null);
  options.onRecords(records);
  options.onFile?.({
    url,
    index,
    statusCode,
    urls,
    error: fetched.error ?? reader.problem,
    flaw: reader.flaw ?? flaw,
  });
  return { children, left };
}

/**
 * Returns the uncompressed file, or why there is none. A compressed file may be sent unchanged or with a content
 * encoding. An incomplete file is read as far as it was received.
 */
async function fetchSitemap(start: string, fetch: SitemapOptions['fetch']) {
  let url = start;
  let last: number | null = null;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const { statusCode, headers, body, error, isTruncated } = await fetch(url, MOST_BYTES);
    last = statusCode;
    if (statusCode !== null && statusCode < 300 && body !== null) {
      const sent = decodeContent(body, headers, MOST_BYTES);
      const isGzip = sent.body?.[0] === 0x1f && sent.body[1] === 0x8b;
      const { body: content, isTruncated: isCut } =
        isGzip && sent.body !== null ? decodeContent(sent.body, GZIP, MOST_BYTES) : sent;
      const problem = isTruncated || sent.isTruncated || isCut ? 'truncated' : null;
      return { statusCode, content, error: content === null ? 'unreadable_content' : problem };
    }
    const next = locationOf(headers, url);
    if (!leadsOn(statusCode) || next === null)
      return { statusCode, content: null, error: error ?? `status_${statusCode}` };
    url = next.href;
  }
  return { statusCode: last, content: null, error: 'too_many_redirects' };
}

function recordOf(
  entry: SitemapEntry,
  { page, sitemap, scope }: { readonly page: URL; readonly sitemap: string; readonly scope: Scope },
): SitemapRecord {
  const alternates = entry.alternates.flatMap(({ lang, href }) => {
    const parsed = webUrl(href, sitemap);
    return parsed === null ? [] : [{ lang, href: scope.spell(parsed) }];
  });
  return {
    url: scope.spell(page),
    sitemap,
    alternate_langs: alternates.map(({ lang }) => lang),
    alternate_hrefs: alternates.map(({ href }) => href),
    num_images: entry.images,
    num_news: entry.news,
    num_videos: entry.videos,
  };
}

/** The formats of the profile of ISO 8601 that sitemaps have (https://www.w3.org/TR/NOTE-datetime). */
const W3C_DATE =
  /^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?$/;

/** Returns the flaw of an entry that still counts. */
function flawOf({ lastmod }: SitemapEntry): 'invalid_lastmod' | null {
  if (lastmod === null || lastmod === '') return null;
  const [, year, month, day] = W3C_DATE.exec(lastmod) ?? [];
  if (year === undefined) return 'invalid_lastmod';
  const days = new Date(Date.UTC(Number(year), Number(month ?? 1), 0)).getUTCDate();
  return Number(day ?? 1) > days ? 'invalid_lastmod' : null;
}

function isBelow(url: URL, sitemap: URL): boolean {
  const folder = sitemap.pathname.slice(0, sitemap.pathname.lastIndexOf('/') + 1);
  return url.origin === sitemap.origin && url.pathname.startsWith(folder);
}

/**
 * Returns the encoding by the byte order mark or the XML declaration, else UTF-8 (XML 1.0, appendix F). A declaration
 * that is readable byte by byte is not in UTF-16, even if it declares that.
 */
function encodingOf(file: Uint8Array): string {
  const utf16 = utf16Of(file);
  if (utf16 !== null) return utf16;
  const head = bytesAsCharacters(file.subarray(0, 200));
  if (head.startsWith('\xEF\xBB\xBF')) return 'utf-8';
  const named = /^[^<]*<\?xml[^>]*\bencoding\s*=\s*["']([\w-]+)["']/.exec(head)?.[1] ?? 'utf-8';
  const encoding = encodingName(named);
  return encoding === null || /^(?:UTF-16|replacement)/.test(encoding) ? 'utf-8' : encoding;
}
