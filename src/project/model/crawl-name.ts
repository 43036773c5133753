import { CrawlhouseError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';

/** A crawl among those that a person may name. */
export interface NamedCrawl {
  readonly id: string;
  readonly project_id: string | null;
  readonly project_name: string | null;
  /** The day on which it ended, in UTC: `2026-11-22`; null where its end is not known. */
  readonly day: string | null;
  /** How many crawls behind the latest of its project it is: 0 is the latest; null where it does not count. */
  readonly back: number | null;
}

const BACK = /^-(\d{1,6})$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const SHOWN = 3;

/** Whether a text names a crawl by its place or day, not by its identifier. */
export function isRelativeName(name: string): boolean {
  return placeOf(name) !== null || DAY.test(name);
}

/**
 * The crawl that a name stands for: an identifier, `latest`, `previous`, `-N`, or a day, which stands for the last crawl
 * that ended on it.
 *
 * @param crawls the order of their ends
 * @throws CrawlhouseError `usage` where it stands for none, or for crawls of several projects
 */
export function crawlNamed<T extends NamedCrawl>(crawls: readonly T[], name: string): T {
  const own = crawls.find((one) => one.id === name);
  if (own !== undefined) return own;
  const back = placeOf(name);
  const fitting = crawls.filter((one) => (back === null ? one.day === name : one.back === back));
  // The last one of each project.
  const found = [...new Map(fitting.map((one) => [one.project_id, one])).values()];
  const [only] = found;
  if (only === undefined) throw unknownCrawl(crawls, name);
  if (found.length === 1) return only;
  const each = found.map((one) => `${one.id} (${one.project_name ?? one.project_id})`);
  const more = each.length > SHOWN ? `, and ${each.length - SHOWN} more` : '';
  throw new CrawlhouseError('usage', `${name} names a crawl in each of ${found.length} projects`, {
    hint: `name its project too, or give an identifier: ${each.slice(0, SHOWN).join(', ')}${more}`,
  });
}

function unknownCrawl(crawls: readonly NamedCrawl[], name: string): CrawlhouseError {
  const ended = crawls.filter((one) => one.day !== null).slice(-SHOWN);
  const last = ended.map((one) => `${one.id} (${[one.project_name, one.day].filter(Boolean).join(', ')})`);
  const meant = didYouMean(name, ['latest', 'previous', ...crawls.map((one) => one.id)]);
  return new CrawlhouseError('usage', `there is no crawl ${name}`, {
    hint: `${meant}give an identifier, latest, previous, -N or a day; last crawls: ${last.reverse().join(', ') || 'none'}`,
  });
}

function placeOf(name: string): number | null {
  if (name === 'latest') return 0;
  if (name === 'previous') return 1;
  const [, back] = BACK.exec(name) ?? [];
  return back === undefined ? null : Number(back);
}

/** The command of a ledger's run that stands for a crawl of a website, by its start URL or its host. */
export function crawlCommand(site: string): string {
  return `crawl ${URL.parse(site)?.host || site}`;
}
