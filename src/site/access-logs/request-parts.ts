import { ownUrl, webUrl } from '../../core/net/web-url.ts';
import type { LogLine } from './log-line.ts';

/** Of HTTP, or of another protocol that was tried. */
const VERSION = /^(?:HTTP|RTSP|SIP|ICY)\/[\d.]*$/i;

/** Parses the first line of a request: `GET /a HTTP/1.1`, `GET /a` of HTTP/0.9, or a text that is not a request. */
export function readRequest(line: LogLine): void {
  const { request } = line;
  const first = request.indexOf(' ');
  // A load balancer writes `- http://www.example.com:80- -` if there was no request.
  if (first <= 0 || request.startsWith('- ')) return;
  const last = request.lastIndexOf(' ');
  const hasVersion = last > first && VERSION.test(request.slice(last + 1));
  line.method = request.slice(0, first);
  line.target = request.slice(first + 1, hasVersion ? last : undefined).trim();
}

/** Returns a host without its port, in lowercase; an address of IPv6 keeps its brackets. */
export function hostName(host: string): string {
  const colon = host.lastIndexOf(':');
  const name = colon > 0 && /^\d*$/.test(host.slice(colon + 1)) ? host.slice(0, colon) : host;
  return name.toLowerCase().replace(/\.$/, '');
}

/** Returns whether a string is a host of a URL, with or without a port: a client may send any text. */
export function isHost(text: string): boolean {
  return /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d*)?$/i.test(text) && webUrl(`http://${text}`) !== null;
}

/** Returns whether a string is a status: three digits, or a zero for a request that was not answered. */
export function isStatus(text: string): boolean {
  return /^(?:\d{3}|0|-1)$/.test(text);
}

/** Returns whether the status means that no answer was sent. */
export function isUnanswered(status: string): boolean {
  return status === '0' || status === '000' || status === '-1';
}

/**
 * `http` or `https` according to the protocol of a line; empty if the line does not have it.
 *
 * @param isForwarded whether the connection was the proxy's
 */
export function schemeOf(scheme: string, port: string, isForwarded: boolean): '' | 'http' | 'https' {
  if (scheme === '-' && !isForwarded) return 'http';
  if (/^(?:https:?|wss|grpcs|h[23]|on|(?:tls|ssl)v?[\d.]*)$/i.test(scheme)) return 'https';
  if (/^(?:http:?|ws|grpc|off|none)$/i.test(scheme)) return 'http';
  if (port === '443') return 'https';
  return port === '80' ? 'http' : '';
}

/** Scheme and host, without the default port of the scheme. */
export function originText(scheme: string, host: string): string {
  const port = /:(\d+)$/.exec(host)?.[1];
  const isUsual = port === undefined || port === '80' || port === '443';
  return `${scheme}://${hostName(host)}${isUsual ? '' : `:${port}`}`;
}

/**
 * Returns a function that tests whether a host belongs to a site: the site's host with or without `www.`, their
 * subdomains, and the named hosts.
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

/** Returns the name of a host as in logs, also if it is given as a URL, with a port or in letters beyond ASCII. */
function nameOf(host: string): string {
  return webUrl(host.includes('://') ? host : `http://${host}`)?.hostname ?? host.toLowerCase();
}
