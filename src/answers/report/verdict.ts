import { counted, countText } from '../../core/text/amounts.ts';
import type { ProjectReport, ReportIssue } from './read-site-report.ts';

/** What matters most comes first. */
const MOST = 3;

interface Change {
  readonly text: string;
  /** The severest come first, then the ones with the most clicks, then the largest. */
  readonly weight: number;
  readonly clicks: number;
  /** Pages; below zero it got better. */
  readonly size: number;
}

/** What got better and what got worse, a sentence each; null where there is no crawl to compare with. */
export function verdictOf(project: ProjectReport) {
  if (project.previous_ended_at === null) return { better: null, worse: null };
  const changes = [...figureChanges(project), ...project.issues.flatMap(issueChange)];
  const list = (chosen: readonly Change[]): string =>
    chosen
      .toSorted((a, b) => b.weight - a.weight || b.clicks - a.clicks || Math.abs(b.size) - Math.abs(a.size))
      .slice(0, MOST)
      .map(({ text }) => text)
      .join('; ') || 'nothing';
  return {
    better: `${list(changes.filter(({ size }) => size < 0))}.`,
    worse: `${list(changes.filter(({ size }) => size > 0))}.`,
  };
}

function issueChange({ title, weight, new: fresh, fixed, new_clicks }: ReportIssue): Change[] {
  const more = fresh === null || fixed === null ? 0 : fresh - fixed;
  if (fresh === null || more === 0) return [];
  if (more < 0) return [{ text: `${title} on ${pagesText(-more, ' fewer')}`, weight, clicks: 0, size: more }];
  const clicks = new_clicks ?? 0;
  const led = clicks === 0 ? '' : ` that ${counted(clicks, 'click')} ${clicks === 1 ? 'leads' : 'lead'} to`;
  const some = fixed ? ` (${countText(fixed)} fixed)` : '';
  return [{ text: `${title} on ${pagesText(fresh, ' new')}${led}${some}`, weight, clicks, size: more }];
}

/** Pages that can be found matter more than any issue. */
function figureChanges({ trend, previous_crawl_id }: ProjectReport): Change[] {
  const now = trend.at(-1);
  const before = trend.find(({ crawl_id }) => crawl_id === previous_crawl_id);
  if (now?.indexable_pages == null || before?.indexable_pages == null) return [];
  const more = now.indexable_pages - before.indexable_pages;
  const words = `${countText(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'} indexable ${Math.abs(more) === 1 ? 'page' : 'pages'}`;
  return more === 0 ? [] : [{ text: words, weight: 2, clicks: 0, size: -more }];
}

function pagesText(pages: number, change: string): string {
  return `${countText(pages)}${change} ${pages === 1 ? 'page' : 'pages'}`;
}
