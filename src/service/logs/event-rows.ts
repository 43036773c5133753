import { ownUrl } from '../../core/net/web-url.ts';
import type { Bot } from './bots/bot-list.ts';
import { clientAddress } from './client-address.ts';
import type { LogLine, RejectReason } from './log-line.ts';
import { cleanPath, cleanText, unescapeBytes, withoutQuery } from './log-text.ts';
import {
  hostName,
  isHost,
  isStatus,
  isUnanswered,
  originText,
  readRequest,
  schemeOf,
} from './request-parts.ts';
import { isSearchResults } from './search-results.ts';

/** A user agent of a log, and the number that rows have in its place. */
export interface Agent {
  readonly id: number;
  readonly isBot: boolean;
  /** The bot of the list that it names: its addresses verify it. */
  readonly known: Bot | null;
}

/** A bot and an address that its requests came from, and the number that rows have in their place. */
export interface BotAddress {
  readonly id: number;
  readonly bot: Bot;
  readonly address: string;
}

export interface EventRules {
  /** Scheme and host of lines that name none: those of the site, such as `https://www.example.com`. */
  readonly origin: string;
  /** Whether lines with this host belong to the site. */
  readonly isOwnHost: (host: string) => boolean;
  /** What is kept of query strings. */
  readonly queryStrings: 'keep' | 'drop' | readonly string[];
  /** The address of the client is the last public one of X-Forwarded-For. */
  readonly isForwarded: boolean;
  /** The number of a user agent. */
  readonly agentOf: (userAgent: string) => Agent;
  /** The number of a scheme with a host, such as `https://www.example.com`. */
  readonly originOf: (origin: string) => number;
  /** What stands for an address in a row; null: nothing. */
  readonly clientOf: ((address: string, second: number) => string) | null;
}

const NULL = '\\N';
const DAY = 86_400;
const PIECE = 32 * 1024;
const FIRST_BYTES = 1024 * 1024;
const METHOD = /^[A-Z][A-Z_-]{1,19}$/;
/** Hosts and addresses that are told apart in memory. */
const MOST_HOSTS = 1000;
const MOST_PAIRS = 500_000;

/** Makes rows of lines, as text that DuckDB reads: cells between tabs, in the order of `EVENT_CELLS`. */
export class EventRows {
  readonly #rules: EventRules;
  readonly #scheme: string;
  readonly #host: string;
  /** Rows as text, until there are enough for `#bytes`: a long text of many pieces costs more to clean up than to make. */
  #text = '';
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  #count = 0;
  /** Numbers of schemes with hosts, also by how lines write them. */
  readonly #origins = new Map<string, number>();
  /** Numbers of bots with their addresses, each once. */
  readonly #pairs = new Map<string, number>();
  #lastPair = 0;
  #newPairs: BotAddress[] = [];
  /** Lines of hosts that are not the site's. */
  readonly otherHosts = new Map<string, number>();
  /** Whether a line without a host was read. */
  assumedHost = false;
  /** UTC seconds of the first and the last event. */
  first: number | null = null;
  last: number | null = null;
  /** Days of the events, counted from 1970. */
  readonly days = new Set<number>();
  #day = Number.NaN;

  constructor(rules: EventRules) {
    this.#rules = rules;
    const { protocol, host } = ownUrl(rules.origin);
    this.#scheme = protocol.slice(0, -1);
    this.#host = host;
  }

  /** Adds the row of a line with its number in the file, or says why not. */
  add(line: LogLine, number: number): 'added' | 'other_host' | RejectReason {
    if (line.status !== '' && !isStatus(line.status)) return 'bad_status';
    const status = line.status === '' || isUnanswered(line.status) ? NULL : line.status;
    const bytes = line.bytes === '' ? NULL : line.bytes;
    if (bytes !== NULL && !/^\d{1,18}$/.test(bytes)) return 'bad_bytes';
    if (line.port !== '' && !/^\d{1,5}$/.test(line.port)) return 'bad_port';
    if (line.request !== '') readRequest(line);
    const { origin, path } = this.#place(line);
    if (origin === undefined) return 'other_host';
    const agent = this.#rules.agentOf(line.agent);
    const { clientOf, isForwarded } = this.#rules;
    // Few lines are of a bot that has to be verified.
    const address = agent.known === null && clientOf === null ? '' : clientAddress(line, isForwarded);
    const pair = agent.known === null ? NULL : this.#pair(agent.known, address);
    const referer = line.referer === '' ? NULL : this.#referer(line);
    const found = !agent.isBot && referer !== NULL && isSearchResults(referer) ? '1' : '0';
    const method = METHOD.test(line.method) ? line.method : NULL;
    const client = clientOf?.(address, line.second) ?? NULL;
    this.#text += `${number}\t${line.second}\t${origin}\t${path}\t${method}\t${status}\t${bytes}\t${referer}\t${agent.id}\t${pair}\t${found}\t${client}\t${line.mark}\n`;
    if (this.#text.length >= PIECE) this.#flush();
    this.#count += 1;
    this.#see(line.second);
    return 'added';
  }

  /** Bytes of the rows that were not taken yet. */
  get size(): number {
    return this.#length + this.#text.length;
  }

  #flush(): void {
    const needed = this.#length + this.#text.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#bytes.write(this.#text, this.#length, 'latin1');
    this.#text = '';
  }

  /** The rows since the last time, which stand until the next one is added, and the bots that they have for the first time. */
  take(): { readonly rows: Buffer; readonly count: number; readonly pairs: readonly BotAddress[] } {
    this.#flush();
    const taken = { rows: this.#bytes.subarray(0, this.#length), count: this.#count, pairs: this.#newPairs };
    this.#length = 0;
    this.#count = 0;
    this.#newPairs = [];
    return taken;
  }

  #see(second: number): void {
    if (this.first === null || second < this.first) this.first = second;
    if (this.last === null || second > this.last) this.last = second;
    const day = Math.floor(second / DAY);
    if (day === this.#day) return;
    this.#day = day;
    this.days.add(day);
  }

  /** Queries of referrers hold what those of the site do. */
  #referer({ referer, escapes }: LogLine): string {
    const text = cleanText(escapes ? unescapeBytes(referer) : referer);
    const { queryStrings } = this.#rules;
    if (queryStrings === 'keep') return text;
    const mark = text.indexOf('#');
    return withoutQuery(mark < 0 ? text : text.slice(0, mark), queryStrings);
  }

  #place(line: LogLine): { readonly origin: number | undefined; readonly path: string } {
    let { scheme, host, target } = line;
    const named = /^(https?):\/\/([^/?#]*)/i.exec(target);
    if (named !== null) {
      [scheme = '', host = ''] = named.slice(1);
      target = target.slice(named[0].length);
      if (!target.startsWith('/')) target = `/${target}`;
    }
    const origin = this.#origin(scheme, host, line.port);
    if (host === '') this.assumedHost = true;
    if (origin === null) {
      const name = hostName(host);
      if (this.otherHosts.size < MOST_HOSTS || this.otherHosts.has(name))
        this.otherHosts.set(name, (this.otherHosts.get(name) ?? 0) + 1);
      return { origin: undefined, path: NULL };
    }
    if (!target.startsWith('/')) return { origin, path: NULL };
    const whole =
      line.query === '' || target.includes('?') ? target : `${target}?${line.query.replace(/^\?/, '')}`;
    const path = cleanPath(line.escapes ? unescapeBytes(whole) : whole);
    return { origin, path: path.includes('?') ? withoutQuery(path, this.#rules.queryStrings) : path };
  }

  /** Null for a host that is not the site's, or none. */
  #origin(scheme: string, host: string, port: string): number | null {
    const key = `${scheme} ${port} ${host}`;
    const known = this.#origins.get(key);
    if (known !== undefined) return known;
    if (host !== '' && !(this.#rules.isOwnHost(hostName(host)) && isHost(host))) return null;
    const named = /:(\d+)$/.exec(host)?.[1] ?? '';
    const found = schemeOf(scheme, named === '' ? port : named, this.#rules.isForwarded);
    const origin = originText(found === '' ? this.#scheme : found, host === '' ? this.#host : host);
    const id = this.#rules.originOf(origin);
    this.#origins.set(key, id);
    return id;
  }

  #pair(bot: Bot, address: string): number {
    const key = `${bot.token} ${address}`;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    if (this.#pairs.size >= MOST_PAIRS) this.#pairs.clear();
    const id = ++this.#lastPair;
    this.#pairs.set(key, id);
    this.#newPairs.push({ id, bot, address });
    return id;
  }
}
