import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Project, Row } from '../sites/sites.ts';
import { bool, byBytes, groups, num, str } from './values.ts';

/** Log files of a project. */
export interface LogFacts {
  /** Days with log files, and what their numbers are from. */
  readonly days: ReadonlyMap<string, 'log_events' | 'log_pages_days'>;
  readonly urlDays: readonly UrlDay[];
  readonly botHits: readonly BotHit[];
  /** Days with a person's request that is known to be a visit from search results, or to be none. */
  readonly knownVisitDays: readonly string[];
}

/** Numbers of a URL and day; null where they are not known. */
export interface UrlDay {
  readonly url: string;
  readonly day: string;
  readonly searchBotHits: number | null;
  readonly googleBotHits: number | null;
  readonly bingBotHits: number | null;
  readonly seoVisits: number | null;
  /** Whether a person is known to have come from search results. */
  readonly isVisited: boolean;
  /** Status of the last request. */
  readonly lastStatus: number | null;
}

export interface BotHit {
  readonly url: string;
  readonly day: string;
  readonly dataset: 'log_events' | 'log_pages_days';
  readonly botClass: string;
  readonly crawler: string | null;
  readonly engine: string | null;
  readonly purpose: string | null;
  readonly status: 'ok' | 'redirect' | 'error' | null;
  readonly hits: number;
  /** The service's counts of the day, where it is from them. */
  readonly counts: Row | null;
}

interface Sender {
  readonly botClass: string | null;
  readonly crawler: string | null;
  readonly engine: string | null;
  readonly purpose: string | null;
}

const SEED = readFileSync(join(import.meta.dirname, '../../../sql/seeds/bots.csv'), 'utf8');
const KNOWN = SEED.trim()
  .split('\n')
  .slice(1)
  .filter((line) => !line.split(',').includes('robots_txt'))
  .map((line) => {
    const [token = '', crawler = '', botClass = '', engine = '', purpose = ''] = line.split(',');
    return {
      token: token.toLowerCase(),
      crawler,
      botClass,
      engine: engine || null,
      purpose: purpose || null,
    };
  });

/** Of a line that its address refutes the claimed name stays. */
function senderOf(line: Row): Sender {
  const claimed = claimedSender(line);
  return str(line, 'bot_verification') === 'refuted'
    ? { ...claimed, botClass: 'unverified', engine: null }
    : claimed;
}

function claimedSender(line: Row): Sender {
  const agent = (str(line, 'user_agent') ?? str(line, 'bot') ?? '').toLowerCase();
  const [known] = KNOWN.filter(({ token }) => agent.includes(token)).toSorted(
    (a, b) => b.token.length - a.token.length || byBytes(a.token, b.token),
  );
  if (known) return known;
  const isBot = bool(line, 'is_bot');
  if (isBot === true) {
    const kinds: Readonly<Record<string, string>> = { seo: 'search', vertical: 'search', sea: 'ads' };
    const botClass = kinds[str(line, 'bot_kind') ?? ''] ?? 'other';
    return { botClass, crawler: str(line, 'bot'), engine: str(line, 'search_engine'), purpose: null };
  }
  const botClass = isBot === false || str(line, 'user_agent') !== null ? 'none' : null;
  return { botClass, crawler: null, engine: null, purpose: null };
}

/** Names of the crawlers of search engines. */
export const SEARCH_CRAWLERS: ReadonlySet<string> = new Set(
  KNOWN.filter(({ botClass }) => botClass === 'search').map(({ crawler }) => crawler),
);

export function statusClass(status: number | null): BotHit['status'] {
  if (status === null) return null;
  if ((status >= 200 && status <= 299) || status === 304) return 'ok';
  return status >= 300 && status <= 399 ? 'redirect' : 'error';
}

export function logFacts({ logEvents, logPagesDays }: Project): LogFacts {
  const lines = logEvents?.rows ?? [];
  const lined = new Set(lines.map((line) => String(line.day)));
  const counts = (logPagesDays?.rows ?? []).filter((row) => !lined.has(String(row.day)));
  const days = new Map<string, BotHit['dataset']>();
  for (const day of lined) days.set(day, 'log_events');
  for (const row of counts) days.set(String(row.day), 'log_pages_days');
  const ofUrls = groups(
    lines.filter((line) => str(line, 'url') !== null),
    (line) => [line.day, line.url],
  );
  return {
    days,
    urlDays: [...ofUrls.map(countLines), ...counts.map(countsOfDay)],
    botHits: [...ofUrls.flat().flatMap(hitOfLine), ...counts.flatMap(hitOfCounts)],
    knownVisitDays: [...lines.filter(isLineOfKnownVisit), ...counts.filter(isCountOfKnownVisits)].map((row) =>
      String(row.day),
    ),
  };
}

const ofLine = (line: Row) => ({ url: String(line.url), day: String(line.day) });

function countLines(lines: readonly Row[]): UrlDay {
  const senders = lines.map(senderOf);
  const search = senders.filter(({ botClass }) => botClass === 'search');
  const isKnown = senders.every(({ botClass }) => botClass !== null);
  const isKnownEngine = isKnown && search.every(({ engine }) => engine !== null);
  const by = (name: string): number => search.filter(({ engine }) => engine === name).length;
  const people = lines.filter((_line, index) => senders[index]?.botClass !== 'unverified');
  const tells = people.every((line) => bool(line, 'is_bot') === true || bool(line, 'is_seo_visit') !== null);
  return {
    ...ofLine(lines[0] ?? {}),
    searchBotHits: isKnown ? search.length : null,
    googleBotHits: isKnownEngine ? by('google') : null,
    bingBotHits: isKnownEngine ? by('bing') : null,
    seoVisits: tells ? people.filter((line) => bool(line, 'is_seo_visit') === true).length : null,
    isVisited: people.some((line) => bool(line, 'is_seo_visit') === true),
    lastStatus: lastOf(lines),
  };
}

function isLineOfKnownVisit(line: Row): boolean {
  const isVisit = bool(line, 'is_seo_visit');
  const isOfPerson = isVisit === true || bool(line, 'is_bot') !== true;
  return isVisit !== null && isOfPerson && senderOf(line).botClass !== 'unverified';
}

function isCountOfKnownVisits(row: Row): boolean {
  const visits = num(row, 'seo_visits');
  return visits !== null && (visits > 0 || num(row, 'visits') !== 0);
}

/** Lines without a time or a status do not count; of two at once the greater status does. */
function lastOf(lines: readonly Row[]): number | null {
  const told = lines.flatMap((line) => {
    const [time, status] = [str(line, 'event_date'), num(line, 'status_code')];
    return time === null || status === null ? [] : [{ time: Date.parse(time), status }];
  });
  return told.toSorted((a, b) => b.time - a.time || b.status - a.status)[0]?.status ?? null;
}

function searchBots(row: Row): number | null {
  const [seo, vertical] = [num(row, 'seo_bot_hits'), num(row, 'vertical_bot_hits')];
  return seo === null || vertical === null ? null : seo + vertical;
}

const countsOfDay = (row: Row): UrlDay => ({
  ...ofLine(row),
  searchBotHits: searchBots(row),
  googleBotHits: null,
  bingBotHits: null,
  seoVisits: num(row, 'seo_visits'),
  isVisited: (num(row, 'seo_visits') ?? 0) > 0,
  lastStatus: num(row, 'last_status_code'),
});

function hitOfLine(line: Row): BotHit[] {
  const { botClass, ...sender } = senderOf(line);
  if (botClass === null || botClass === 'none') return [];
  const status = statusClass(num(line, 'status_code'));
  return [{ ...ofLine(line), dataset: 'log_events', botClass, ...sender, status, hits: 1, counts: null }];
}

function hitOfCounts(row: Row): BotHit[] {
  const hits = searchBots(row) ?? 0;
  if (hits === 0) return [];
  const all = num(row, 'hits');
  const is = (name: string): boolean => all !== null && num(row, name) === all;
  const moved = num(row, 'last_status_code') === 304 ? 'ok' : 'redirect';
  const failed = is('hits_4xx') || is('hits_5xx') ? 'error' : null;
  const status = is('hits_2xx') ? 'ok' : is('hits_3xx') ? moved : failed;
  const unknown = { crawler: null, engine: null, purpose: null };
  const dataset = 'log_pages_days';
  return [{ ...ofLine(row), dataset, botClass: 'search', ...unknown, status, hits, counts: row }];
}
