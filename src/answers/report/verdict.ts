import { countText } from '../../core/text/amounts.ts';
import type { ProjectReport, ReportIssue } from './read-site-report.ts';

/** A crawl in three sentences; the first two are null where there is no crawl to compare with. */
export interface Verdict {
  readonly better: string | null;
  readonly worse: string | null;
  /** Null where no page has an issue. */
  readonly first: { readonly issue: ReportIssue; readonly text: string } | null;
}

/** What matters most comes first. */
const MOST = 3;

interface Change {
  readonly text: string;
  /** Pages, weighted by severity; below zero it got better. */
  readonly size: number;
}

/** What got better, what got worse, and what to do first. */
export function verdictOf(project: ProjectReport): Verdict {
  const [issue] = project.issues.filter(({ pages }) => pages > 0);
  const first = issue === undefined ? null : { issue, text: `${onPages(issue)}. ${issue.fix}.` };
  if (project.previous_ended_at === null) return { better: null, worse: null, first };
  const changes = [...figureChanges(project), ...project.issues.flatMap(issueChange)];
  const list = (chosen: readonly Change[]): string =>
    chosen
      .toSorted((a, b) => Math.abs(b.size) - Math.abs(a.size))
      .slice(0, MOST)
      .map(({ text }) => text)
      .join('; ') || 'nothing';
  return {
    better: `${list(changes.filter(({ size }) => size < 0))}.`,
    worse: `${list(changes.filter(({ size }) => size > 0))}.`,
    first,
  };
}

function onPages({ title, pages, new: fresh }: ReportIssue): string {
  const some = fresh === null || fresh === 0 ? '' : ` (${countText(fresh)} new)`;
  return `${title}, on ${pagesText(pages)}${some}`;
}

function issueChange({ title, weight, new: fresh, fixed }: ReportIssue): Change[] {
  const more = fresh === null || fixed === null ? 0 : fresh - fixed;
  if (more === 0) return [];
  return [{ text: `${title} on ${pagesText(Math.abs(more), more)}`, size: more * weight }];
}

/** Pages that can be found weigh as much as the severest issue. */
function figureChanges({ trend, previous_crawl_id }: ProjectReport): Change[] {
  const now = trend.at(-1);
  const before = trend.find(({ crawl_id }) => crawl_id === previous_crawl_id);
  if (now?.indexable_pages == null || before?.indexable_pages == null) return [];
  const more = now.indexable_pages - before.indexable_pages;
  const words = `${countText(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'} indexable ${Math.abs(more) === 1 ? 'page' : 'pages'}`;
  return more === 0 ? [] : [{ text: words, size: -more }];
}

function pagesText(pages: number, sign = 0): string {
  const change = sign === 0 ? '' : sign > 0 ? ' more' : ' fewer';
  return `${countText(pages)}${change} ${pages === 1 ? 'page' : 'pages'}`;
}
