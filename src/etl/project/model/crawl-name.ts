import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { calendarDay } from '../../../core/time/calendar-day.ts';

export interface NamedCrawl {
  readonly id: string;
  readonly project_id: string | null;
  readonly project_name: string | null;
  /** The day on which it ended, in UTC: `2026-11-22`; null if its end is unknown. */
  readonly day: string | null;
  /** The position of the crawl, counted back from the latest of its project (0); null if the crawl is not counted. */
  readonly back: number | null;
}

const BACK = /^-(\d{1,6})$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const AGO = /^(\d{1,5})-days?-ago$/;
const SHOWN = 3;

/** The accepted names of a crawl. */
export const CRAWL_NAMES = 'an identifier, latest, previous, -N, a day, last-week or N-days-ago';

/** Returns whether a string names a crawl by its position or day, not by its identifier. */
export function isRelativeName(name: string): boolean {
  return placeOf(name) !== null || DAY.test(name) || dayOf(name, 0) !== null;
}

/**
 * Returns the crawl with this name: an identifier, `latest`, `previous`, `-N`, or a day (`2026-11-19`, `last-week`,
 * `30-days-ago`). A day means the last crawl that ended on it, or else the nearest earlier one.
 *
 * @param crawls in the order of their ends
 * @param now milliseconds, from which days are counted back
 * @throws CrawlhouseError `usage` for an unknown name, or one that means crawls of several projects
 */
export function crawlNamed<T extends NamedCrawl>(crawls: readonly T[], name: string, now = Date.now()): T {
  const own = crawls.find((crawl) => crawl.id === name);
  if (own !== undefined) return own;
  if (DAY.test(name) && calendarDay(name) === null)
    throw new CrawlhouseError('usage', `${name} is not a calendar day`, { hint: `give ${CRAWL_NAMES}` });
  const fitting = fittingCrawls(crawls, name, now);
  // The last crawl of each project.
  const found = [...new Map(fitting.map((one) => [one.project_id, one])).values()];
  const [only] = found;
  if (only === undefined) throw unknownCrawl(crawls, name, dayOf(name, now));
  if (found.length === 1) return only;
  const each = found.map((one) => `${one.id} (${one.project_name ?? one.project_id})`);
  const more = each.length > SHOWN ? `, and ${each.length - SHOWN} more` : '';
  throw new CrawlhouseError('usage', `${name} names a crawl in each of ${found.length} projects`, {
    hint: `name its project too, or use an identifier: ${each.slice(0, SHOWN).join(', ')}${more}`,
  });
}

/** @param day the day in the name, if any; all crawls that ended did so after it */
function unknownCrawl(crawls: readonly NamedCrawl[], name: string, day: string | null): CrawlhouseError {
  const ended = crawls.filter((crawl) => crawl.day !== null);
  const shown = (crawl: NamedCrawl): string =>
    `${crawl.id} (${[crawl.project_name, crawl.day].filter(Boolean).join(', ')})`;
  const last = ended.slice(-SHOWN).map(shown).reverse().join(', ') || 'none';
  const meant = didYouMean(name, ['latest', 'previous', ...crawls.map((crawl) => crawl.id)]);
  const [nearest] = ended;
  const near =
    nearest && day !== null ? `the nearest is ${shown(nearest)}; ` : `${meant}give ${CRAWL_NAMES}; `;
  const why = day === null ? '' : `: no crawl ended on or before ${day}`;
  return new CrawlhouseError('usage', `there is no crawl ${name}${why}`, {
    hint: `${near}last crawls: ${last}`,
  });
}

function fittingCrawls<T extends NamedCrawl>(crawls: readonly T[], name: string, now: number): readonly T[] {
  const back = placeOf(name);
  if (back !== null) return crawls.filter((crawl) => crawl.back === back);
  const day = dayOf(name, now);
  if (day === null) return [];
  const exact = DAY.test(name) ? crawls.filter((crawl) => crawl.day === day) : [];
  return exact.length > 0 ? exact : crawls.filter((crawl) => crawl.day !== null && crawl.day <= day);
}

/** Returns a sentence about a crawl that ended on another day than its name; null if it ended on that day. */
export function nearestNote(name: string, { id, day }: NamedCrawl, now = Date.now()): string | null {
  const asked = name === id ? null : dayOf(name, now);
  if (asked === null || asked === day) return null;
  return `no crawl ended on ${asked}; using the nearest earlier crawl, ${id} of ${day}`;
}

function dayOf(name: string, now: number): string | null {
  if (DAY.test(name)) return name;
  const ago = name === 'last-week' ? 7 : Number(AGO.exec(name)?.[1] ?? Number.NaN);
  return Number.isNaN(ago) ? null : new Date(now - ago * 86_400_000).toISOString().slice(0, 10);
}

function placeOf(name: string): number | null {
  if (name === 'latest') return 0;
  if (name === 'previous') return 1;
  const [, back] = BACK.exec(name) ?? [];
  return back === undefined ? null : Number(back);
}

/** Returns the command that the ledger records for a crawl of a website, by its start URL or its host. */
export function crawlCommand(site: string): string {
  return `crawl ${URL.parse(site)?.host || site}`;
}
