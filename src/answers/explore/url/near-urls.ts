import type { UrlPlace } from './url-place.ts';

const MOST = 5;
/** A person who mistyped a URL waits no longer. */
const PATIENCE_MS = 5_000;

/** URLs of one path under any host or scheme, with or without the slash at its end, in any case. */
const SAME_PATH = `
  WITH
    page AS (
      SELECT pages.url, substr(lower(pages.url), strpos(lower(pages.url), '://') + 3) AS rest
      FROM mart.pages AS pages
      WHERE pages.crawl_id = $crawl
    )
  SELECT page.url
  FROM page
  WHERE CASE WHEN strpos(page.rest, '/') > 0 THEN substr(page.rest, strpos(page.rest, '/')) ELSE '/' END
    IN ($path, $path || '/')
  ORDER BY page.url
  LIMIT ${MOST}`;

const neighbours = (side: '>' | '<', order: 'ASC' | 'DESC'): string => `
  SELECT pages.url
  FROM mart.pages AS pages
  WHERE pages.crawl_id = $crawl AND pages.url ${side} $whole
  ORDER BY pages.url ${order}
  LIMIT ${MOST}`;

/** The shortest URLs that hold the text. */
const HOLDING = `
  SELECT pages.url
  FROM mart.pages AS pages
  WHERE pages.crawl_id = $crawl AND strpos(lower(pages.url), lower($url)) > 0
  ORDER BY length(pages.url), pages.url
  LIMIT ${MOST}`;

/**
 * Pages of the crawl that may be meant by a URL that it does not have. A text without a scheme may be a part of a URL.
 * Else they are those that differ in host, scheme, case or the slash at the end, then those that begin alike, which are
 * its neighbours in the order of the alphabet; without such, those that hold the text. Null where looking takes too long.
 */
export async function nearUrls(place: UrlPlace, signal: AbortSignal): Promise<readonly string[] | null> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await lookNear(place.within(AbortSignal.any([signal, patience])));
  } catch (thrown) {
    signal.throwIfAborted();
    if (patience.aborted) return null;
    throw thrown;
  }
}

async function lookNear({ url, rows }: UrlPlace): Promise<readonly string[]> {
  const urls = (found: readonly { url: string }[]): string[] => found.map((one) => one.url);
  const holding = async (): Promise<string[]> => urls(await rows(HOLDING));
  const part = url.includes('://') ? [] : await holding();
  if (part.length > 0) return part;
  const { host, path } = partsOf(url);
  const same = urls(await rows(SAME_PATH, { path: path.toLowerCase().replace(/\/$/, '') }));
  const whole = `${host}${path}`;
  const around = [
    ...urls(await rows(neighbours('>', 'ASC'), { whole })),
    ...urls(await rows(neighbours('<', 'DESC'), { whole })),
  ]
    .map((one) => ({ one, alike: commonLength(one, whole) }))
    // Another page of the same host is not near by that alone.
    .filter(({ alike }) => alike > host.length + 1)
    .sort((a, b) => b.alike - a.alike);
  const near = [...new Set([...same, ...around.map(({ one }) => one)])].slice(0, MOST);
  return near.length > 0 ? near : await holding();
}

/** The scheme with the host, and what follows; a text without a scheme is a path, else it begins with a host. */
function partsOf(url: string): { readonly host: string; readonly path: string } {
  const whole = url.startsWith('/') || url.includes('://') ? url : `https://${url}`;
  const [, host = '', path = ''] = /^([^/]*:\/\/[^/]*)?(.*)$/s.exec(whole) ?? [];
  return { host, path };
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
