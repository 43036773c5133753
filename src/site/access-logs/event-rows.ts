import { ownUrl } from '../../core/net/web-url.ts';
import type { PlausibleTime } from '../../core/time/plausible-days.ts';
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
import { RowBytes } from './row-bytes.ts';
import { isSearchResults } from './search-engines.ts';

/** A user agent of a log, and the number that rows have in its place. */
export interface Agent {
  readonly id: number;
  /** Null if the log has no user agents. */
  readonly isBot: boolean | null;
  /** The bot of the list that it names; its addresses can verify it. */
  readonly known: Bot | null;
}

export interface BotAddress {
  readonly bot: Bot;
  readonly address: string;
  /** The digit of the verdict in rows, if there is one. */
  verdict: number | null;
}

/** Where the digit of a verdict belongs in the rows. */
export interface BotClaim {
  readonly at: number;
  readonly pair: BotAddress;
}

export interface EventRules {
  /** Scheme and host of lines without them: those of the site, such as `https://www.example.com`. */
  readonly origin: string;
  /** Whether lines with this host belong to the site. */
  readonly isOwnHost: (host: string) => boolean;
  readonly queryStrings: 'keep' | 'drop' | readonly string[];
  /** The address of the client is the last public one of X-Forwarded-For. */
  readonly isForwarded: boolean;
  /** The user agent; null if the log has none. */
  readonly agentOf: (userAgent: string | null) => Agent;
  /** The number of a scheme with a host, such as `https://www.example.com`. */
  readonly originOf: (origin: string) => number;
  /** Replaces an address in a row; null: leaves it out. */
  readonly clientOf: ((address: string, second: number) => string) | null;
  readonly plausible: PlausibleTime;
}

/** Stands for no value in a row. */
export const NULL = '\\N';
const DAY = 86_400;
/** Targets that are not pages: an empty one, that of `OPTIONS *`, and URLs whose scheme is not http or https. */
const NO_PATH = /^(?:\*?$|[a-z][a-z0-9+.-]*:\/\/)/i;
/** A host before a path; the first part of `v1.2/a` is not one. */
const HOST_AND_PATH = /^(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+(?::\d+)?\//i;
const HAS_PORT = /:\d+$/;
const METHOD = /^[A-Z][A-Z_-]{1,19}$/;
/** Hosts and addresses that are distinguished in memory. */
const MOST_HOSTS = 1000;
const MOST_PAIRS = 500_000;
/** Methods by which a site's own programs talk to its caches. No client uses them. */
const NO_CLIENT = /^(?:(?:SOFT|FASTLY)?PURGE\w*|BAN|REFRESH|INVALIDATE|ICP_QUERY)$/i;

/**
 * Converts lines to rows, as text that DuckDB reads: cells separated by tabs, in the order of the `CELLS` of
 * `InsertEvents`. The first cell is a digit for the verdict on a bot, or 0.
 */
export class EventRows {
  readonly rules: EventRules;
  readonly #scheme: string;
  readonly #host: string;
  readonly bytes = new RowBytes();
  #count = 0;
  /** Numbers of schemes with hosts, also by how lines write them. */
  readonly #origins = new Map<string, number>();
  /** Bots with their addresses, each once. */
  readonly #pairs = new Map<string, BotAddress>();
  #claims: BotClaim[] = [];
  /** Lines of hosts that are not the site's. */
  readonly otherHosts = new Map<string, number>();
  /** Whether a line without a host was read. */
  assumedHost = false;
  /** Whether a request line names `http://`, and the site's `https` was taken. */
  assumedScheme = false;
  /** UTC seconds of the first and the last event. */
  first: number | null = null;
  last: number | null = null;
  /** Days with events, counted from 1970. */
  readonly days = new Set<number>();
  /** Lines without a user agent field. */
  unknownAgents = 0;
  /** Whether a line has a chain of addresses that proxies wrote. */
  hasForwarded = false;
  /** The first year outside the plausible range. */
  oddYear: number | null = null;
  /** Whether an event is older than one that precedes it. */
  goesBack = false;
  #day = Number.NaN;

  constructor(rules: EventRules) {
    this.rules = rules;
    const { protocol, host } = ownUrl(rules.origin);
    this.#scheme = protocol.slice(0, -1);
    this.#host = host;
  }

  /**
   * Adds the row of a line with its number in the file, or returns why the line was not added: `skip` for a line that
   * is not a client's request.
   */
  add(line: LogLine, number: number): 'added' | 'other_host' | 'skip' | RejectReason {
    if (!this.isPlausible(line.second)) {
      this.oddYear ??= new Date(line.second * 1000).getUTCFullYear();
      return 'implausible_day';
    }
    if (line.status !== '' && !isStatus(line.status)) return 'bad_status';
    const status = line.status === '' || isUnanswered(line.status) ? NULL : line.status;
    const bytes = line.bytes === '' ? NULL : line.bytes;
    if (bytes !== NULL && !/^\d{1,18}$/.test(bytes)) return 'bad_bytes';
    if (line.port !== '' && !/^\d{1,5}$/.test(line.port)) return 'bad_port';
    if (line.request !== '') readRequest(line);
    if (NO_CLIENT.test(line.method)) return 'skip';
    const { origin, path } = this.#place(line);
    if (origin === undefined) return 'other_host';
    const agent = this.rules.agentOf(line.tellsAgent ? unescapeBytes(line.agent, line.escapes) : null);
    if (line.forwarded !== '') this.hasForwarded = true;
    const client = this.visitor(agent, line);
    const referer = line.referer === '' ? NULL : this.#referer(line);
    const isFound = agent.isBot === false && referer !== NULL && isSearchResults(referer);
    const isKnown = agent.isBot === true || (agent.isBot === false && line.tellsReferer);
    const found = isKnown ? (isFound ? '1' : '0') : NULL;
    const method = METHOD.test(line.method) ? line.method : NULL;
    this.bytes.add(
      `0\t${number}\t${line.second}\t${method}\t${path}\t${status}\t${bytes}\t${referer}\t${agent.id}\t${found}\t${origin}\t${client}\t${line.mark}\n`,
    );
    this.count(line.second);
    if (agent.isBot === null) this.unknownAgents += 1;
    return 'added';
  }

  isPlausible(second: number): boolean {
    const { first, end } = this.rules.plausible;
    return second >= first && second < end;
  }

  /** Returns the number of the site's own origin, for lines without a host. */
  assumedOrigin(): number {
    this.assumedHost = true;
    return Number(this.#origin('', '', ''));
  }

  /** Returns the client of the next row. Notes a bot that has to be verified, because few lines are from bots. */
  visitor({ known }: Agent, line: Pick<LogLine, 'address' | 'forwarded' | 'second'>): string {
    const { clientOf, isForwarded } = this.rules;
    if (known === null && clientOf === null) return NULL;
    const address = clientAddress(line, isForwarded);
    if (known !== null) this.#claims.push({ at: this.bytes.size, pair: this.#pair(known, address) });
    return clientOf?.(address, line.second) ?? NULL;
  }

  /**
   * Returns the rows since the last call, valid until the next one is added, and where verdicts on bots belong in them.
   */
  take(): { readonly rows: Buffer; readonly count: number; readonly claims: readonly BotClaim[] } {
    const taken = { rows: this.bytes.take(), count: this.#count, claims: this.#claims };
    this.#count = 0;
    this.#claims = [];
    return taken;
  }

  get waiting(): number {
    return this.#count;
  }

  count(second: number): void {
    this.#count += 1;
    if (this.first === null || second < this.first) this.first = second;
    if (this.last === null || second > this.last) this.last = second;
    else if (second < this.last) this.goesBack = true;
    const day = Math.floor(second / DAY);
    if (day === this.#day) return;
    this.#day = day;
    this.days.add(day);
  }

  /** Queries of referrers may contain the same data as those of the site. */
  #referer({ referer, escapes }: LogLine): string {
    const text = cleanText(unescapeBytes(referer, escapes));
    const { queryStrings } = this.rules;
    if (queryStrings === 'keep') return text;
    const mark = text.indexOf('#');
    return withoutQuery(mark < 0 ? text : text.slice(0, mark), queryStrings);
  }

  #place(line: LogLine): { readonly origin: number | undefined; readonly path: string } {
    let { scheme, host, target } = line;
    const named = /^(https?|wss?):\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(target);
    if (named !== null) {
      const [, written = '', authority = ''] = named;
      host = authority;
      // varnishncsa writes `http://` before each host: TLS ends before Varnish.
      const isGuess = line.request !== '' && /^http$/i.test(written) && !HAS_PORT.test(authority);
      if (!isGuess) scheme = written;
      else if (scheme === '' && line.port === '') this.assumedScheme ||= this.#scheme === 'https';
      target = target.slice(named[0].length);
      if (!target.startsWith('/')) target = `/${target}`;
    }
    // Some logs name a field URL that has the host but no scheme, or name a field path that lacks its leading slash.
    const isKeyed = line.request === '' && line.method !== 'CONNECT' && !NO_PATH.test(target);
    const [first = ''] = /^[^/?#]*/.exec(target) ?? [];
    const isHostFirst = isKeyed && host === '' && HOST_AND_PATH.test(target);
    if (first !== '' && (isHostFirst || this.rules.isOwnHost(hostName(first))))
      [host, target] = [first, target.slice(first.length)];
    if (isKeyed && !target.startsWith('/')) target = `/${target}`;
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
    const path = cleanPath(unescapeBytes(whole, line.escapes));
    return { origin, path: path.includes('?') ? withoutQuery(path, this.rules.queryStrings) : path };
  }

  /** Returns null for a host that is not the site's, or a missing one. */
  #origin(scheme: string, host: string, port: string): number | null {
    const key = `${scheme} ${port} ${host}`;
    const known = this.#origins.get(key);
    if (known !== undefined) return known;
    if (host !== '' && !(this.rules.isOwnHost(hostName(host)) && isHost(host))) return null;
    const named = /:(\d+)$/.exec(host)?.[1] ?? '';
    const found = schemeOf(scheme, named === '' ? port : named, this.rules.isForwarded);
    const origin = originText(found === '' ? this.#scheme : found, host === '' ? this.#host : host);
    const id = this.rules.originOf(origin);
    this.#origins.set(key, id);
    return id;
  }

  #pair(bot: Bot, address: string): BotAddress {
    const key = `${bot.token} ${address}`;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    if (this.#pairs.size >= MOST_PAIRS) this.#pairs.clear();
    const pair = { bot, address, verdict: null };
    this.#pairs.set(key, pair);
    return pair;
  }
}
