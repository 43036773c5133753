import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { pagesAddress } from '../../../answers/explore/pages/page-filter.ts';
import {
  readIssueMeanings,
  readIssueShares,
  readIssueTrends,
} from '../../../answers/explore/read-issue-details.ts';
import { readIssues } from '../../../answers/explore/read-issues.ts';
import { sparkline } from '../../../answers/report/sparkline.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { CRAWL_NAMES } from '../../../project/model/crawl-name.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import type { Readers } from '../desk/desk.ts';
import { projectPath } from '../layout/addresses.ts';
import { Count, countOrDash } from '../layout/counts.ts';
import { filterForm } from '../layout/filter-form.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { severityMark } from '../layout/severity-mark.ts';
import { type TableColumn, table } from '../layout/table.ts';
import { timeText } from '../layout/times.ts';
import { NotFound, type PageRequest, page } from './page.ts';

/** Shares read every page of a crawl: what is not read by then comes with the next look. */
const PATIENCE_MS = 400;
const UNTIL_READ = new AbortController().signal;

const Issue = z.strictObject({
  issue: z.string(),
  title: z.string(),
  severity: z.string(),
  category: z.string(),
  pages: Count,
  /** Null where nothing is compared, as in the next two. */
  new: Count.nullable(),
  fixed: Count.nullable(),
  remaining: Count.nullable(),
  definition: z.string(),
  why_it_matters: z.string(),
  fix: z.string(),
  source: z.string(),
  /** Pages in the last crawls, the oldest first; null where it is not known. */
  trend: z.array(z.strictObject({ ended_at: z.string().nullable(), pages: Count.nullable() })),
  /** Share of the clicks and of search engines' requests on its pages; null where it is not known. */
  clicks_percent: z.number().nullable(),
  search_bot_hits_percent: z.number().nullable(),
});
type Issue = z.infer<typeof Issue>;

const Issues = z.strictObject({
  project_id: z.string(),
  project_name: z.string(),
  crawl_id: z.string(),
  ended_at: z.string().nullable(),
  previous_ended_at: z.string().nullable(),
  /** Issues that no page has, and those that the exports say nothing of. */
  none: z.number(),
  unknown: z.number(),
  /** Whether the lines of the last crawls have this one. */
  is_in_trends: z.boolean(),
  /** Whether the shares are still being read. */
  pending: z.boolean(),
  issues: z.array(Issue),
});
type Issues = z.infer<typeof Issues>;

export const ISSUES = page<Issues>({
  path: '/projects/:project_id/issues',
  summary: 'What is wrong with the pages of a crawl, and what changed since the one before.',
  query: {
    crawl: `One of: ${CRAWL_NAMES}; without it, the main crawl.`,
    severity: 'Only issues of this severity.',
    category: 'Only issues of this category.',
    changed: '1: only issues with new or fixed pages.',
    wait: '1: wait for the shares, however long they take.',
  },
  schema: Issues,
  async read({ path, query }, desk) {
    const project = path.project_id ?? '';
    const asked = { project, crawl: query.get('crawl') || undefined };
    const [crawl] = await desk.once(`issues: ${JSON.stringify(asked)}`, () =>
      desk.warehouse.use((warehouse) => readIssues(warehouse, asked, UNTIL_READ)),
    );
    if (crawl === undefined) throw new NotFound(`No crawl of project ${project} has pages yet.`);
    const { crawl_id, project_id } = crawl;
    const once = <T>(name: string, read: (warehouse: CatalogReader) => Promise<T>): Promise<T> =>
      desk.once(`issues: ${name} ${crawl_id}`, () => desk.warehouse.use(read));
    const meanings = await once('meanings', (warehouse) =>
      readIssueMeanings(warehouse, project_id, UNTIL_READ),
    );
    const trends = await once('trends', (warehouse) => readIssueTrends(warehouse, crawl_id, UNTIL_READ));
    const [record] = await desk.rowsOnce(
      'SELECT is_in_trends FROM mart.crawls WHERE crawl_id = $crawl',
      new Map([['crawl', crawl_id]]),
    );
    const shares = await sharesOf(desk, crawl_id, query.has('wait'));
    const by = <T extends { readonly issue: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
      new Map(rows.map((row) => [row.issue, row]));
    const [meant, trend, share] = [by(meanings), by(trends), by(shares ?? [])];
    return {
      project_id,
      project_name: crawl.project,
      ...{ crawl_id, ended_at: crawl.ended_at, previous_ended_at: crawl.previous_ended_at },
      is_in_trends: record?.is_in_trends === true,
      ...{ none: crawl.none, unknown: crawl.unknown, pending: shares === null },
      issues: crawl.issues.map(({ issue, title, severity, category, pages, fixed, remaining, ...rest }) => ({
        ...{ issue, title, severity, category, pages, new: rest.new, fixed, remaining },
        definition: meant.get(issue)?.definition ?? '',
        why_it_matters: meant.get(issue)?.why_it_matters ?? '',
        fix: meant.get(issue)?.fix ?? '',
        source: meant.get(issue)?.source ?? '',
        trend: (trend.get(issue)?.pages ?? []).map((count, index) => ({
          ended_at: trend.get(issue)?.ended_at[index] ?? null,
          pages: count,
        })),
        clicks_percent: share.get(issue)?.clicks_percent ?? null,
        search_bot_hits_percent: share.get(issue)?.search_bot_hits_percent ?? null,
      })),
    };
  },
  draw: (issues, request) => ({
    title: `Issues of ${issues.project_name}`,
    body: drawIssues(issues, request),
  }),
});

/** Null where they take longer. */
function sharesOf(desk: Readers, crawl: string, isPatient: boolean) {
  const read = desk.once(`issues: shares ${crawl}`, () =>
    desk.lanes.slowPages.run(() =>
      desk.warehouse.use((warehouse) => readIssueShares(warehouse, crawl, UNTIL_READ)),
    ),
  );
  return isPatient ? read : Promise.race([read, sleep(PATIENCE_MS, null, { ref: false })]);
}

function drawIssues(document: Issues, { query }: PageRequest): Html {
  const { project_id, project_name, issues, pending, none, unknown } = document;
  const shown = issues.filter(
    ({ severity, category, ...one }) =>
      [severity, ''].includes(query.get('severity') ?? '') &&
      [category, ''].includes(query.get('category') ?? '') &&
      (!query.get('changed') || Number(one.new ?? 0) > 0 || Number(one.fixed ?? 0) > 0),
  );
  const categories = [...new Set(issues.map(({ category }) => category))].sort();
  const sum = (name: 'new' | 'fixed'): string =>
    countText(issues.reduce((total, one) => total + Number(one[name] ?? 0), 0));
  const before =
    document.previous_ended_at === null
      ? 'There is no crawl before to compare it with.'
      : html`Compared with the crawl of ${timeText(document.previous_ended_at)} UTC: ${sum('new')} new findings, ${sum('fixed')} fixed. A page is a finding of each issue that it has.`;
  return html`<h1>${project_name}</h1>
${projectTabs(project_id, 'issues')}
<h2>${counted(shown.length, 'issue')}</h2>
<p class="facts">In the crawl of ${timeText(document.ended_at)} UTC. ${before}</p>
${filterForm(`${projectPath(project_id)}/issues`, query, [
  { name: 'severity', label: 'severity', any: 'any', options: ['high', 'medium', 'low'] },
  { name: 'category', label: 'about', any: 'anything', options: categories },
  {
    name: 'changed',
    label: 'change',
    any: 'any',
    options: [{ value: '1', text: 'new or fixed pages' }],
  },
])}
${document.is_in_trends ? null : html`<p class="notice">The lines of the last crawls leave this crawl out: it is not complete, or later than the latest one.</p>`}
${pending ? html`<p class="waiting" role="status" data-pending>Shares of clicks and visits are still being read.</p>` : null}
${issuesTable(document, shown)}
<p class="facts">${counted(none, 'more issue')} on no page.${
    unknown === 0
      ? null
      : ` ${counted(unknown, 'issue')} not known: their fields, hits or search results are not loaded.`
  } In a terminal: <code>crawlhouse issues --project ${shellWord(project_id)} --crawl ${shellWord(document.crawl_id)}</code></p>
`;
}

function issuesTable({ project_id, crawl_id, issues }: Issues, shown: readonly Issue[]): Html {
  const to = (issue: Issue, change?: string): string =>
    pagesAddress(project_id, {
      crawl: crawl_id,
      issue: issue.issue,
      change,
      ...(change === 'fixed' ? {} : { sort: 'priority desc' }),
    });
  const count = (issue: Issue, value: Issue['new'], change?: string): Html | string =>
    value === null || Number(value) === 0
      ? countOrDash(value)
      : html`<a href="${to(issue, change)}">${countText(value)}</a>`;
  const percent = (value: number | null): string => (value === null ? 'not known' : `${value} %`);
  const isKnown = (key: 'clicks_percent' | 'search_bot_hits_percent'): boolean =>
    issues.some((one) => one[key] !== null);
  return table(
    'Issues',
    [
      {
        name: 'issue',
        cell: (one) => html`<a href="${to(one)}">${one.title}</a>
<details><summary>Why, and what to do</summary><p>${one.why_it_matters}</p><p><strong>To do:</strong> ${one.fix}.</p>
<p class="facts">A page has it when: ${one.definition} <a href="${one.source}" rel="noreferrer">Source</a></p></details>`,
      },
      { name: 'severity', cell: ({ severity }) => severityMark(severity) },
      { name: 'about', cell: ({ category }) => category },
      { name: 'pages', isNumber: true, cell: (one) => count(one, one.pages) },
      {
        name: 'last crawls',
        cell: ({ title, trend }) =>
          sparkline(
            trend.map((one) => (one.pages === null ? null : Number(one.pages))),
            `Pages with ${title} in the last crawls`,
          ),
      },
      { name: 'new', isNumber: true, cell: (one) => count(one, one.new, 'new') },
      { name: 'fixed', isNumber: true, cell: (one) => count(one, one.fixed, 'fixed') },
      { name: 'remaining', isNumber: true, cell: (one) => count(one, one.remaining, 'remaining') },
      ...(isKnown('clicks_percent')
        ? [shareColumn('of the clicks', (one) => percent(one.clicks_percent))]
        : []),
      ...(isKnown('search_bot_hits_percent')
        ? [shareColumn('of search bot hits', (one) => percent(one.search_bot_hits_percent))]
        : []),
    ],
    shown,
    issues.length === 0 ? 'Nothing was found on any page.' : 'No issue is so.',
  );
}

const shareColumn = (name: string, cell: (one: Issue) => string): TableColumn<Issue> => ({
  name,
  isNumber: true,
  cell,
});
