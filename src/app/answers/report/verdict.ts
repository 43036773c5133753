import { counted, countText } from '../../../core/text/amounts.ts';
import { reasonsText } from '../presentation/reason-words.ts';
import { siteChangeWords } from '../presentation/site-change-words.ts';
import type { ProjectReport, ReportIssue } from './read-site-report.ts';

/** Maximum sentences of each kind, most important first. */
const MOST = 3;

/** Changes of a website that take pages out of search results. */
const LOSSES: readonly string[] = ['robots_denied', 'noindex', 'canonicalised', 'start_page'];

interface Change {
  readonly text: string;
  /** The most severe come first, then those with the most clicks, then the largest. */
  readonly weight: number;
  readonly clicks: number;
  /** Pages; negative for an improvement. */
  readonly size: number;
}

/**
 * Returns what improved and what got worse, in one sentence each. Both are null if there is no crawl to compare with.
 * Changes to the website come first, ordered by clicks at risk.
 */
export function verdictOf(project: ProjectReport) {
  if (project.previous_ended_at === null) return { better: null, worse: null };
  const lost = project.siteChanges.map((change) => siteChangeWords(change, change.pages, change.clicks));
  const changes = [
    ...missingPages(project),
    ...figureChanges(project),
    ...project.issues.flatMap(issueChange),
  ];
  const most = (chosen: readonly Change[]): string[] =>
    chosen
      .toSorted((a, b) => b.weight - a.weight || b.clicks - a.clicks || Math.abs(b.size) - Math.abs(a.size))
      .map(({ text }) => text);
  const list = (texts: readonly string[], number: number): string =>
    `${texts.slice(0, number).join('; ') || 'nothing'}.`;
  const worse = [...lost, ...most(changes.filter(({ size }) => size > 0))];
  return {
    better: list(most(changes.filter(({ size }) => size < 0)), MOST),
    worse: list(worse, Math.max(MOST, lost.length)),
  };
}

function issueChange({ title, weight, new: fresh, fixed, missing, new_clicks }: ReportIssue): Change[] {
  const more = fresh === null || fixed === null ? 0 : fresh - fixed;
  if (fresh === null || more === 0) return [];
  if (more < 0) return [{ text: `${title} on ${pagesText(-more, ' fewer')}`, weight, clicks: 0, size: more }];
  const clicks = new_clicks ?? 0;
  const led = clicks === 0 ? '' : ` that ${counted(clicks, 'click')} ${clicks === 1 ? 'leads' : 'lead'} to`;
  const others = [
    fixed ? `${countText(fixed)} fixed` : '',
    missing ? `${countText(missing)} missing` : '',
  ].filter((text) => text !== '');
  const some = others.length === 0 ? '' : ` (${others.join(', ')})`;
  return [{ text: `${title} on ${pagesText(fresh, ' new')}${led}${some}`, weight, clicks, size: more }];
}

/**
 * Returns the changes for missing pages. Pages that were not read again come first. Pages that robots.txt blocks may
 * already appear as a change of the website.
 */
function missingPages({ missing_pages, siteChanges }: ProjectReport): Change[] {
  const isKnown = siteChanges.some(({ change }) => change === 'robots_denied');
  const reasons = missing_pages.filter(({ reason }) => !isKnown || reason !== 'blocked_by_robots');
  const size = reasons.reduce((sum, { pages }) => sum + Number(pages), 0);
  if (size === 0) return [];
  const text = `${counted(size, 'page')} of the previous crawl not read (${reasonsText(reasons)})`;
  return [{ text, weight: 3, clicks: 0, size }];
}

/**
 * Returns the change in the number of indexable pages, which ranks before all issues. An increase is not an improvement
 * if other pages were lost or not read again.
 */
function figureChanges(project: ProjectReport): Change[] {
  const { trend, previous_crawl_id, siteChanges, missing_pages } = project;
  const now = trend.at(-1);
  const before = trend.find(({ crawl_id }) => crawl_id === previous_crawl_id);
  if (now?.indexable_pages == null || before?.indexable_pages == null) return [];
  const more = now.indexable_pages - before.indexable_pages;
  const words = `${countText(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'} indexable ${Math.abs(more) === 1 ? 'page' : 'pages'}`;
  const hasLosses = missing_pages.length > 0 || siteChanges.some(({ change }) => LOSSES.includes(change));
  return more === 0 || (more > 0 && hasLosses) ? [] : [{ text: words, weight: 2, clicks: 0, size: -more }];
}

function pagesText(pages: number, change: string): string {
  return `${countText(pages)}${change} ${pages === 1 ? 'page' : 'pages'}`;
}
