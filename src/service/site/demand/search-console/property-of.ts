import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { ownUrl } from '../../../../core/net/web-url.ts';

/**
 * The property of Search Console that covers a website: the one of its own address, else the domain property of its host
 * or of a domain above it.
 *
 * @param wanted one that was named; it must be among the properties
 * @throws CrawlhouseError `usage` with the properties that there are
 */
export function propertyOf(
  startUrl: string,
  properties: readonly string[],
  wanted: string | undefined,
): string {
  const { origin, hostname } = ownUrl(startUrl);
  const labels = hostname.split('.');
  const domains = labels.slice(0, -1).map((_, index) => `sc-domain:${labels.slice(index).join('.')}`);
  const candidates = wanted === undefined ? [`${origin}/`, ...domains] : [wanted];
  const found = candidates.find((one) => properties.includes(one));
  if (found !== undefined) return found;
  const known = properties.length === 0 ? 'none' : properties.join(', ');
  throw new CrawlhouseError(
    'usage',
    wanted === undefined
      ? `no property of Search Console that the account may read covers ${origin}`
      : `the account may not read a property ${wanted}`,
    {
      hint: `properties: ${known}; name one by --property, or add the account to the users of the right one`,
    },
  );
}
