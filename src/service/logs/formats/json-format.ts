import { CrawlhouseError } from '../../../core/errors.ts';
import { didYouMean } from '../../../core/nearest-name.ts';
import type { LogFormat, LogLine, RejectReason } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';

/** Fields of a line that a map may name; `url` is the same as `target`. */
const MAPPED_FIELDS = [
  ...(['time', 'address', 'forwarded', 'scheme', 'host', 'method', 'url', 'query'] as const),
  ...(['request', 'status', 'bytes', 'referer', 'agent'] as const),
] as const;
type MappedField = (typeof MAPPED_FIELDS)[number];

/** Where each field stands in a record: keys joined by dots; several are tried in turn. */
export type FieldMap = Readonly<Partial<Record<MappedField, string | readonly string[]>>>;

/** Cloudflare Logpush, HTTP requests (https://developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests/). */
export const CLOUDFLARE: FieldMap = {
  time: 'EdgeStartTimestamp',
  address: 'ClientIP',
  scheme: 'ClientRequestScheme',
  host: 'ClientRequestHost',
  method: 'ClientRequestMethod',
  url: 'ClientRequestURI',
  status: 'EdgeResponseStatus',
  bytes: 'EdgeResponseBytes',
  referer: 'ClientRequestReferer',
  agent: 'ClientRequestUserAgent',
};

/** Caddy (https://caddyserver.com/docs/caddyfile/directives/log). */
export const CADDY: FieldMap = {
  time: 'ts',
  address: ['request.client_ip', 'request.remote_ip', 'request.remote_addr'],
  forwarded: 'request.headers.X-Forwarded-For',
  scheme: 'request.tls.proto',
  host: 'request.host',
  method: 'request.method',
  url: 'request.uri',
  status: 'status',
  bytes: 'size',
  referer: 'request.headers.Referer',
  agent: 'request.headers.User-Agent',
};

/** Lines that are JSON objects; Caddy's other messages, which have no request, are passed over. */
export function jsonFormat(name: string, map: FieldMap, time: LogTime): LogFormat {
  const paths = Object.entries(map).map(
    ([field, places]) =>
      [
        field as MappedField,
        (typeof places === 'string' ? [places] : places).map((one) => one.split('.')),
      ] as const,
  );
  return {
    name,
    read(text, from, end, line) {
      const record = parsed(text.slice(from, end));
      if (record === undefined) return 'not_the_format';
      if (map === CADDY && record.request === undefined) return 'skip';
      for (const [field, places] of paths) {
        const value = firstOf(record, places);
        if (value === '') continue;
        const problem = take(field, value, line, time);
        if (problem !== undefined) return problem;
      }
      return Number.isNaN(line.second) ? 'bad_time' : 'event';
    },
  };
}

/**
 * The map of JSON lines that a person gives, such as `time=ts,url=http.url`.
 *
 * @throws CrawlhouseError `usage`
 */
export function parseFieldMap(text: string): FieldMap {
  const pairs = text.split(',').map((one) => {
    const [field = '', ...path] = one.split('=');
    if (path.length === 0 || path.join('=') === '')
      throw new CrawlhouseError('usage', `--format json:${text}: ${one} is not FIELD=KEY`, {
        hint: '--format json:time=ts,url=request.uri,status=status',
      });
    if (!(MAPPED_FIELDS as readonly string[]).includes(field))
      throw new CrawlhouseError('usage', `--format json:${text}: there is no field ${field}`, {
        hint: `${didYouMean(field, MAPPED_FIELDS)}fields: ${MAPPED_FIELDS.join(', ')}`,
      });
    return [field, path.join('=')] as const;
  });
  const map: FieldMap = Object.fromEntries(pairs);
  const missing = (['time', 'status'] as const).find((field) => map[field] === undefined);
  if (missing !== undefined || (map.url === undefined && map.request === undefined))
    throw new CrawlhouseError('usage', `--format json:${text}: ${missing ?? 'url'} is missing`, {
      hint: 'a map names at least time, url (or request) and status',
    });
  return map;
}

function take(field: MappedField, value: string, line: LogLine, time: LogTime): RejectReason | undefined {
  if (field === 'time') {
    line.second = time.any(value);
    return Number.isNaN(line.second) ? 'bad_time' : undefined;
  }
  line[field === 'url' ? 'target' : field] = value;
  return undefined;
}

/** Characters of the longest number that JavaScript holds without rounding it. */
const EXACT = 15;
const HAS_LONG_NUMBER = /[\d.]{16}/;

/** A record whose texts have one byte a character, as the line has; long numbers are texts as they are written. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const plain = text.includes('\\u') ? withoutWideEscapes(text) : text;
    const value: unknown = HAS_LONG_NUMBER.test(plain) ? JSON.parse(plain, longAsWritten) : JSON.parse(plain);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // The line is a reject.
    return undefined;
  }
}

function longAsWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  return typeof value === 'number' && source.length > EXACT ? source : value;
}

/**
 * Escapes of characters beyond ASCII as their bytes in UTF-8. A character beyond a byte would lose its upper half in a row,
 * and become a tab or the end of the row.
 */
function withoutWideEscapes(text: string): string {
  return text.replaceAll(/(?:\\u[0-9a-fA-F]{4})+|\\[^u]/g, (escapes) => {
    if (!escapes.startsWith('\\u')) return escapes;
    const codes = [...escapes.matchAll(/[0-9a-fA-F]{4}/g)].map(([digits]) => Number.parseInt(digits, 16));
    const characters = [...String.fromCharCode(...codes).toWellFormed()];
    return characters
      .map((one) => (one < '\x80' ? JSON.stringify(one).slice(1, -1) : Buffer.from(one).toString('latin1')))
      .join('');
  });
}

/** The text of the first of these keys that has one; of a list its first value. Keys are compared in any case. */
function firstOf(record: Record<string, unknown>, places: readonly (readonly string[])[]): string {
  for (const path of places) {
    let value: unknown = record;
    for (const key of path) value = member(value, key);
    if (Array.isArray(value)) value = value[0];
    if (typeof value === 'number' || typeof value === 'string') return String(value);
  }
  return '';
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as Record<string, unknown>;
  if (Object.hasOwn(record, key)) return record[key];
  const other = Object.keys(record).find((one) => one.toLowerCase() === key.toLowerCase());
  return other === undefined ? undefined : record[other];
}
