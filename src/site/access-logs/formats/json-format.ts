import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import type { LogFormat, LogLine, RejectReason } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';

/** Fields of a line that a map may contain; `url` is the same as `target`. */
const MAPPED_FIELDS = [
  ...(['time', 'address', 'forwarded', 'scheme', 'port', 'host', 'method', 'url', 'query'] as const),
  ...(['request', 'status', 'bytes', 'referer', 'agent'] as const),
] as const;
export type MappedField = (typeof MAPPED_FIELDS)[number];

/** Where each field is in a record: keys joined by dots; several are tried in turn. */
type FieldMap = Readonly<Partial<Record<MappedField, string | readonly string[]>>>;

export interface JsonLog {
  readonly map: FieldMap;
  /** Parses a line; the default is JSON. */
  readonly parse?: (text: string) => JsonRecord | undefined;
  /** Whether a record is a request; other messages are ignored. */
  readonly isRequest?: (record: JsonRecord) => boolean;
  /** Gives the scheme if no key does. */
  readonly scheme?: (record: JsonRecord) => string;
  /**
   * Identifies the request of a record, of which only the first record counts. Empty for a record without an
   * identifier.
   */
  readonly request?: (record: JsonRecord) => string;
  /** The server that wrote a record: each record of one request by the same server counts. */
  readonly server?: (record: JsonRecord) => string;
  /**
   * The key of the object with the user agent and the referrer of each client that sent one. Without it, in a file with
   * agents (or referrers), each record has one.
   */
  readonly headers?: string;
  /** Whether a key that no record has is an error. */
  readonly isGiven?: boolean;
}

export type JsonRecord = Readonly<Record<string, unknown>>;

/** Requests whose further records are ignored. */
const REQUESTS = 10_000;
/** Keys that are remembered, to find similar names. */
const MOST_KEYS = 200;

/** The words of the state of a file in which some records have the field: for the others the client sent none. */
const [AGENTS, REFERERS] = ['agents', 'referers'] as const;

/** @param state of the format at the place where reading continues */
export function jsonFormat(
  name: string,
  log: JsonLog,
  { time, state }: { readonly time: LogTime; readonly state: string },
): LogFormat {
  const fields = Object.entries(log.map).map(([field, places]) => ({
    field: field as MappedField,
    places: (typeof places === 'string' ? [places] : places).map((one) => one.split('.')),
    isSeen: false,
  }));
  const keys = new Set<string>();
  const headers = log.headers?.split('.');
  let [hasAgents, hasReferers] = [AGENTS, REFERERS].map((word) => state.split(' ').includes(word));
  const isRepeated = repeats(log);
  const parse = log.parse ?? parseJsonLine;
  return {
    name,
    learns: true,
    get state() {
      return [...(hasAgents ? [AGENTS] : []), ...(hasReferers ? [REFERERS] : [])].join(' ');
    },
    read(text, from, end, line) {
      const record = parse(text.slice(from, end));
      if (record === undefined) return 'not_the_format';
      if (log.isRequest?.(record) === false || isRepeated(record)) return 'skip';
      if (log.isGiven && keys.size < MOST_KEYS) for (const key of keysOf(record)) keys.add(key);
      let [hasTime, hasUrl, hasStatus] = [false, false, false];
      let problem: RejectReason | undefined;
      for (const field of fields) {
        const value = textAt(record, field.places, field.field);
        if (value === null) continue;
        field.isSeen = true;
        if (field.field === 'time') hasTime = true;
        else if (field.field === 'status') hasStatus = true;
        else if (field.field === 'url' || field.field === 'request') hasUrl = true;
        else if (field.field === 'agent') hasAgents = true;
        else if (field.field === 'referer') hasReferers = true;
        if (value === '') continue;
        problem ??= take(field.field, value, line, time);
      }
      if (problem !== undefined) return problem;
      const hasHeaders = headers !== undefined && memberAt(record, headers, 0) !== undefined;
      line.tellsAgent = hasAgents === true || hasHeaders;
      line.tellsReferer = hasReferers === true || hasHeaders;
      if (log.scheme !== undefined) line.scheme = log.scheme(record);
      if (!hasUrl) return 'no_url';
      if (!hasStatus) return 'no_status';
      if (!hasTime) return 'no_time';
      return Number.isNaN(line.second) ? 'bad_time' : 'event';
    },
    missing() {
      const places = fields.filter(({ isSeen }) => !isSeen).map((field) => field.places[0]?.join('.') ?? '');
      return log.isGiven && keys.size > 0 && places.length > 0 ? { keys: places, known: [...keys] } : null;
    },
  };
}

/** Returns whether a record belongs to the request of an earlier one. */
function repeats({ request, server }: JsonLog): (record: JsonRecord) => boolean {
  if (request === undefined) return () => false;
  const seen = new Map<string, string>();
  return (record) => {
    const id = request(record);
    if (id === '') return false;
    const writer = server?.(record) ?? '';
    const before = seen.get(id);
    if (before !== undefined) return server === undefined || before !== writer;
    if (seen.size >= REQUESTS) seen.clear();
    seen.set(id, writer);
    return false;
  };
}

function keysOf(record: JsonRecord, prefix = ''): string[] {
  return Object.entries(record).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? keysOf(value as JsonRecord, `${prefix}${key}.`)
      : [`${prefix}${key}`],
  );
}

/**
 * Parses the user's field map for JSON lines, such as `time=ts,url=http.url`.
 *
 * @throws CrawlhouseError `usage`
 */
export function parseFieldMap(text: string): JsonLog {
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
      hint: 'map at least time, url (or request) and status',
    });
  return { map, isGiven: true };
}

function take(field: MappedField, value: string, line: LogLine, time: LogTime): RejectReason | undefined {
  if (field === 'time') {
    line.second = time.any(value);
    return Number.isNaN(line.second) ? 'bad_time' : undefined;
  }
  line[field === 'url' ? 'target' : field] = field === 'agent' ? plainAgent(value) : value;
  return undefined;
}

/**
 * Decodes a user agent. Akamai encodes either spaces only, or everything that a form encodes. An agent that contains
 * spaces may contain `%20` in a name.
 */
function plainAgent(agent: string): string {
  if (agent.includes(' ') || !/%(?:20|28)/.test(agent)) return agent;
  return unescaped(/%2f/i.test(agent) ? agent.replaceAll('+', ' ') : agent);
}

/** Characters of the longest number that JavaScript represents exactly. */
const EXACT = 15;
const HAS_LONG_NUMBER = /[\d.]{16}/;

/** Returns a record whose texts have one byte per character, like the line; long numbers are texts as written. */
export function parseJsonLine(text: string): Record<string, unknown> | undefined {
  try {
    const plain = text.includes('\\u') ? withoutWideEscapes(text) : text;
    const value: unknown = HAS_LONG_NUMBER.test(plain) ? JSON.parse(plain, longAsWritten) : JSON.parse(plain);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Without `escape=json`, nginx escapes bytes in JSON as in plain text. Otherwise the line is a reject.
    const mended = text.replaceAll(BYTE_ESCAPES, byteOfEscape);
    return mended === text ? undefined : parseJsonLine(mended);
  }
}

const BYTE_ESCAPES = /\\x([0-9A-F]{2})|\\./gi;

function byteOfEscape(whole: string, digits?: string): string {
  if (digits === undefined) return whole;
  return JSON.stringify(String.fromCharCode(Number.parseInt(digits, 16))).slice(1, -1);
}

function longAsWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  return typeof value === 'number' && source.length > EXACT ? source : value;
}

/**
 * Escapes of characters beyond ASCII as their bytes in UTF-8. A character beyond a byte would lose its upper half in a
 * row, and become a tab or the end of the row.
 */
function withoutWideEscapes(text: string): string {
  return text.replaceAll(/(?:\\u[0-9a-fA-F]{4})+|\\[^u]/g, (escapes) => {
    if (!escapes.startsWith('\\u')) return escapes;
    const codes = [...escapes.matchAll(/[0-9a-fA-F]{4}/g)].map(([digits]) => Number.parseInt(digits, 16));
    const characters = [...String.fromCharCode(...codes).toWellFormed()];
    return characters
      .map((character) =>
        character < '\x80'
          ? JSON.stringify(character).slice(1, -1)
          : Buffer.from(character).toString('latin1'),
      )
      .join('');
  });
}

/**
 * Returns the text at the first of these keys that has a value; empty if none has a value, null if a record has none of
 * the keys.
 */
function textAt(
  record: JsonRecord,
  places: readonly (readonly string[])[],
  field: MappedField,
): string | null {
  let found: string | null = null;
  for (const path of places) {
    const value = memberAt(record, path, 0);
    if (value === null && isHeader(field)) found = '';
    if (value === undefined || value === null) continue;
    const text = textOf(value, field);
    if (text !== '' && (text !== '-' || field === 'request')) return text;
    found = '';
  }
  return found;
}

/** Returns whether a field is a header that clients may omit: a key without a value means that the client sent none. */
export function isHeader(field: MappedField): boolean {
  return field === 'agent' || field === 'referer';
}

/** Returns the value at a path of keys, which may have dots themselves. */
function memberAt(value: unknown, path: readonly string[], from: number): unknown {
  if (from === path.length) return value;
  const plain = memberAt(member(value, path[from] ?? ''), path, from + 1);
  if (plain !== undefined || from === path.length - 1) return plain;
  for (let to = from + 2; to <= path.length; to++) {
    const found = memberAt(member(value, path.slice(from, to).join('.')), path, to);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a member, ignoring the case of keys. */
function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as Record<string, unknown>;
  if (Object.hasOwn(record, key)) return record[key];
  const lower = key.toLowerCase();
  for (const one in record) if (one.length === key.length && one.toLowerCase() === lower) return record[one];
  return undefined;
}

/** Returns the first value of a list; all values for headers that contain a chain of addresses. */
export function textOf(value: unknown, field: MappedField): string {
  if (Array.isArray(value))
    return field === 'forwarded' ? value.map(String).join(', ') : textOf(value[0], field);
  if (typeof value === 'number' || typeof value === 'string') return String(value);
  // Whether the connection has TLS.
  return field === 'scheme' && typeof value === 'boolean' ? (value ? 'https' : 'http') : '';
}

/** Returns one byte per character, as in the whole line. */
export function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
