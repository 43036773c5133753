import { counted, countText, sumOfKnown } from '../../../core/text/amounts.ts';
import type { SiteChange } from '../../../etl/state/catalog/site-changes.ts';
import { siteChangeWords } from '../../answers/presentation/site-change-words.ts';
import { detailsOf, earliest, type Incident } from './incident.ts';
import { lineChanges } from './line-changes.ts';

/**
 * Finds changes of websites that have not ended, one incident for each project, change and segment. If several crawls
 * found such a change, their pages add up; of several configurations, the one with the most pages counts.
 */
export function findSiteChanges(
  changes: readonly SiteChange[],
  nameOf: (projectId: string) => string,
): Incident[] {
  const open = changes.filter(({ ended_at }) => ended_at === null);
  return [...Map.groupBy(open, changeKey)].map(([key, rows]) => {
    const [own, ...others] = ofOneConfiguration(rows) as [SiteChange, ...SiteChange[]];
    const all = [own, ...others];
    const project = nameOf(own.project_id);
    const pages = sumOfKnown(all.map(({ pages_left }) => pages_left));
    const clicks = sumOfKnown(all.map((one) => one.clicks));
    return {
      key,
      event: 'change',
      title: `${project}: ${siteChangeWords(own, pages, clicks)}`,
      details: detailsOf(detailLines(own, all)),
      project_id: own.project_id,
      began: earliest(all.map(({ began_at }) => began_at)),
      ...todoOf(own),
      project,
      crawl: own.crawl_id,
      change: own.change,
      segmentation: own.segmentation === '(site)' ? null : own.segmentation,
      segment: own.segmentation === '(site)' ? null : own.segment,
      pages,
      clicks,
    };
  });
}

/** When changes ended, by the keys of their incidents. */
export function endedChanges(changes: readonly SiteChange[]): ReadonlyMap<string, string> {
  const ended = changes.flatMap((change) =>
    change.ended_at === null ? [] : [[changeKey(change), change.ended_at] as const],
  );
  return new Map(ended.toSorted(([, a], [, b]) => a.localeCompare(b)));
}

function changeKey({ project_id, change, segmentation, segment }: SiteChange): string {
  return `change/${project_id}/${change}/${segmentation}/${segment}`;
}

function ofOneConfiguration(rows: readonly SiteChange[]): readonly SiteChange[] {
  const pages = (own: readonly SiteChange[]): number =>
    sumOfKnown(own.map(({ pages_left }) => pages_left)) ?? 0;
  const groups = [...Map.groupBy(rows, ({ crawl_config_id }) => crawl_config_id).values()];
  return groups.reduce((most, one) => (pages(one) > pages(most) ? one : most), groups[0] ?? []);
}

function detailLines(own: SiteChange, all: readonly SiteChange[]): readonly string[] {
  const { change, segmentation, segment, of_pages, most_in, example, before, after } = own;
  const found = sumOfKnown(all.map(({ pages }) => pages));
  const left = sumOfKnown(all.map(({ pages_left }) => pages_left));
  const lines: string[] = [];
  if (segmentation === '(file)') lines.push(segment);
  if (found !== null && left !== null && left < found) lines.push(`${countText(found)} at first`);
  if (of_pages !== null && change !== 'start_page')
    lines.push(`of ${counted(of_pages, 'page')} ${ofPages(change, segmentation)}`);
  if (ERRORS.includes(change)) lines.push('they had no error in the previous crawl, or were not in it');
  if (most_in !== null && segmentation !== '(directory)') lines.push(`most of them in ${most_in}`);
  if (change === 'robots_txt') return [...lines, ...lineChanges(before ?? '', after ?? '')];
  if (example !== null)
    lines.push(
      ['title', 'canonical'].includes(change)
        ? `for example ${example}: ${before ?? 'none'} became ${after ?? 'none'}`
        : `for example ${example}`,
    );
  return lines;
}

const ERRORS = ['client_error', 'server_error'];
/** The pages that could have changed (mart.site_changes.of_pages). */
function ofPages(change: string, segmentation: string | null): string {
  if (['title', 'canonical'].includes(change)) return 'with status 200 in both crawls';
  if (!ERRORS.includes(change)) return 'that were indexable';
  return segmentation === null || segmentation === '(site)' ? 'in the crawl' : 'in the segment';
}

/** The question that lists the pages of a change, and what it lists. */
const LOST = { question: 'q07_pages_that_became_non_indexable', what: 'the pages' };
const REWRITTEN = { question: 'q06_page_changes', what: 'what changed' };
const QUESTIONS: ReadonlyMap<string, { readonly question: string; readonly what: string }> = new Map(
  Object.entries({
    robots_denied: LOST,
    noindex: LOST,
    canonicalised: LOST,
    start_page: LOST,
    title: REWRITTEN,
    canonical: REWRITTEN,
    client_error: { question: 'q08_404s_with_most_internal_links', what: 'the linked pages' },
    server_error: { question: 'q05_status_codes_by_crawl', what: 'pages by status' },
    clicks: { question: 'q28_decay', what: 'the pages that lost clicks' },
  }),
);
const HINTS: ReadonlyMap<string, string> = new Map([
  ['sitemap', 'check the sitemap and the Sitemap line in robots.txt'],
  ['robots_txt', 'check whether the change is intended'],
]);

function todoOf({ change, crawl_id: crawl }: SiteChange): Pick<Incident, 'hint' | 'list'> {
  const asked = QUESTIONS.get(change);
  if (asked === undefined) return { hint: HINTS.get(change) ?? null };
  const { question, what } = asked;
  const hint = `crawlhouse query --question ${question} -p crawl=${crawl} lists ${what}`;
  return { hint, list: { question, crawl, what } };
}
