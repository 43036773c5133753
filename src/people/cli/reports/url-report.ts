import type { UrlStory } from '../../../answers/explore/url/read-url.ts';
import type { UrlHistoryEntry } from '../../../answers/explore/url/url-history.ts';
import type { UrlPage } from '../../../answers/explore/url/url-page.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import { textTable } from '../../../core/text/text-table.ts';
import { endText, foundTable } from './explored.ts';

/** Rows of each part, beside other parts. */
const ROWS = 10;

/** The parts of a URL that are rows, each as a table has it. */
export const URL_PARTS = {
  history: ({ history }) => history.map(historyRow),
  issues: ({ issues }) => issues.map(({ severity, issue, why, fix }) => ({ severity, issue, why, fix })),
  inlinks: ({ inlinks }) => inlinks.rows,
  outlinks: ({ outlinks }) => outlinks.rows,
  hreflangs: ({ hreflangs }) => hreflangs,
  similar: ({ similar }) => similar.rows,
  structured_data: ({ structured_data }) => structured_data,
  hits: ({ hits }): readonly object[] => hits?.days ?? [],
  demand: ({ demand }): readonly object[] => demand?.days ?? [],
} as const satisfies Readonly<Record<string, (story: UrlStory) => readonly object[]>>;
type UrlPart = keyof typeof URL_PARTS;

const historyRow = ({ crawl_id, ended_at, is_in_crawl, is_complete, changes, ...seen }: UrlHistoryEntry) => ({
  crawl: ended_at?.slice(0, 10) ?? crawl_id,
  status_code: seen.status_code,
  indexable: is_in_crawl ? indexability(seen) : is_complete ? 'not in it' : 'not in it (incomplete)',
  depth: seen.depth,
  inlinks: seen.nb_inlinks,
  title: seen.title,
  changed: changes.map(({ change }) => change).join(', ') || null,
});

function indexability({
  is_indexable,
  non_indexable_reason,
}: Pick<UrlPage, 'is_indexable' | 'non_indexable_reason'>): string {
  if (is_indexable === null) return 'not known';
  return is_indexable ? 'yes' : `no: ${non_indexable_reason}`;
}

const TITLES: readonly (readonly [UrlPart, string])[] = [
  ['issues', 'Issues'],
  ['history', 'In each crawl'],
  ['inlinks', 'Links to it'],
  ['outlinks', 'Links on it'],
  ['hreflangs', 'Language versions'],
  ['similar', 'Similar pages'],
  ['structured_data', 'Structured data'],
];

/** All that is known of a URL, for people: the page, then each part with its first rows, or why it has none. */
export function urlReport(story: UrlStory, width: number | undefined): string {
  const { url, crawl, empty } = story;
  const number = crawl.crawl_number === null ? '' : ` ${countText(crawl.crawl_number)}`;
  const parts: readonly string[] = [
    `${url}\n${crawl.project}, crawl${number} of ${endText(crawl.ended_at)} (${crawl.crawl_id})\n`,
    story.page === null ? `The page: ${empty.page}.\n` : facts(story, story.page),
    ...TITLES.map(([name, title]) => part(story, name, title, width)),
    traffic(story, width),
  ];
  return parts.join('\n');
}

/** Texts beside names, of what the page says of itself. */
function facts({ redirects, canonical }: UrlStory, page: UrlPage): string {
  const shown: Readonly<Record<string, unknown>> = {
    'HTTP status': page.status_code,
    'Redirects to': redirects && redirectText(redirects),
    Indexable: indexability(page),
    Canonical: canonical && `${canonical.url}${statusText(canonical)}`,
    Title: page.title,
    H1: page.h1,
    Description: page.meta_description,
    Depth: page.depth,
  };
  const rows = Object.entries(shown).filter(([, value]) => value !== null && value !== undefined);
  const lines = textTable(
    ['', ''],
    rows.map(([name, value]) => [name, String(value)]),
  );
  return lines.split('\n').slice(1).join('\n');
}

function redirectText({
  hops,
  final_url,
  final_status_code,
  is_loop,
  is_cut,
}: NonNullable<UrlStory['redirects']>): string {
  const end = is_loop ? 'a loop' : is_cut ? 'it goes on' : `HTTP status ${final_status_code ?? 'not known'}`;
  return `${final_url} (${counted(hops.length, 'hop')}, ${end})`;
}

function statusText({ is_in_crawl, status_code }: NonNullable<UrlStory['canonical']>): string {
  if (!is_in_crawl) return ' (not in this crawl)';
  return status_code === 200 ? '' : ` (HTTP status ${status_code ?? 'not known'})`;
}

function part(story: UrlStory, name: UrlPart, title: string, width: number | undefined): string {
  const rows = URL_PARTS[name](story);
  const found = story[name];
  const total = found !== null && 'total' in found ? found.total : rows.length;
  if (total === 0) return `${title}: ${story.empty[name] ?? 'none'}.\n`;
  const first = rows.slice(0, ROWS);
  const more = total > first.length ? `, the first ${first.length}; --part ${name} shows more` : '';
  return `${title}: ${countText(total)}${more}\n${foundTable(first, width)}`;
}

function traffic({ hits, demand, empty }: UrlStory, width: number | undefined): string {
  const sum = hits?.days.reduce((all, day) => all + (day.hits ?? 0), 0) ?? 0;
  const requests =
    hits === null
      ? `Requests: ${empty.hits}.\n`
      : `Requests: ${countText(sum)} from ${hits.from} to ${hits.to}; --part hits shows each day\n${hits.bots.length === 0 ? '' : foundTable(hits.bots, width)}`;
  const searches =
    demand === null
      ? `Search results: ${empty.demand}.\n`
      : `Search results: ${counted(demand.clicks, 'click')}, ${counted(demand.impressions, 'impression')} from ${demand.from} to ${demand.to}; --part demand shows each day\n${demand.queries.length === 0 ? '' : foundTable(demand.queries, width)}`;
  return `${requests}\n${searches}`;
}
