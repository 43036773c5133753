import { ownUrl, webUrl } from '../../../core/net/web-url.ts';

/**
 * Whether a host belongs to a site: its own, the same with or without `www.`, their subdomains, and those that were named.
 *
 * @param origin scheme and host of the site
 */
export function ownHosts(origin: string, more: readonly string[]): (host: string) => boolean {
  const own = ownUrl(origin).hostname;
  const isAddress = /^[\d.]+$|^\[|^localhost$/.test(own);
  const base = isAddress ? own : own.replace(/^www\./, '');
  const named = new Set([own, base, ...more.map(nameOf)]);
  return (host) => named.has(host) || (!isAddress && host.endsWith(`.${base}`));
}

/** The name of a host as logs have it, also of one that is given as a URL, with a port or in letters beyond ASCII. */
function nameOf(host: string): string {
  return webUrl(host.includes('://') ? host : `http://${host}`)?.hostname ?? host.toLowerCase();
}
