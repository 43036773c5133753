import { webUrl } from '../../core/web-url.ts';
import type { LogLine } from './log-line.ts';

const PRIVATE =
  /^(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd]|fe[89ab])/i;

/** Takes the first line of a request apart: `GET /a HTTP/1.1`, `GET /a` of HTTP/0.9, or no request at all. */
export function readRequest(line: LogLine): void {
  const { request } = line;
  const first = request.indexOf(' ');
  if (first <= 0) return;
  const last = request.lastIndexOf(' ');
  const hasVersion = last > first && request.startsWith('HTTP/', last + 1);
  line.method = request.slice(0, first);
  line.target = request.slice(first + 1, hasVersion ? last : undefined).trim();
}

/** A host without its port, in lower case; an address of IPv6 keeps its brackets. */
export function hostName(host: string): string {
  const colon = host.lastIndexOf(':');
  const name = colon > 0 && /^\d*$/.test(host.slice(colon + 1)) ? host.slice(0, colon) : host;
  return name.toLowerCase().replace(/\.$/, '');
}

/** Whether a text is a host of a URL, with or without a port: a client may send any text. */
export function isHost(text: string): boolean {
  return /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d*)?$/i.test(text) && webUrl(`http://${text}`) !== null;
}

/** Scheme and host, without the port that the scheme has anyway. */
export function originText(scheme: string, host: string): string {
  const name = hostName(host);
  const port = host.slice(host.lastIndexOf(':') + 1);
  const isUsual = !/:\d+$/.test(host) || port === '80' || port === '443';
  return `${scheme}://${name}${isUsual ? '' : `:${port}`}`;
}

/** The address of the client, without a port. */
export function addressOf({ address, forwarded }: LogLine, isForwarded: boolean): string {
  if (!isForwarded || forwarded === '') return withoutPort(address);
  const chain = forwarded.split(',').map((one) => withoutPort(one.trim()));
  return chain.findLast((one) => one !== '' && !PRIVATE.test(one)) ?? withoutPort(address);
}

function withoutPort(address: string): string {
  const bracket = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1];
  if (bracket !== undefined) return bracket;
  return address.indexOf(':') === address.lastIndexOf(':') ? address.replace(/:\d+$/, '') : address;
}
