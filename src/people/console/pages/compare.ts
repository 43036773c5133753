import { z } from 'zod';
import { type Comparison, readComparison } from '../../../answers/explore/compare/read-compare.ts';
import { type AddressParts, pagesAddress } from '../../../answers/explore/pages/page-filter.ts';
import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { CRAWL_NAMES } from '../../../project/model/crawl-name.ts';
import type { Readers } from '../desk/desk.ts';
import { crawlLink, crawlName, projectPath } from '../layout/addresses.ts';
import { countOrDash } from '../layout/counts.ts';
import { filterForm } from '../layout/filter-form.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { severityMark } from '../layout/severity-mark.ts';
import { table } from '../layout/table.ts';
import { signedValue } from './answer-figure.ts';
import { calledProject } from './called-project.ts';
import { FIGURE_PAGES } from './kpi.ts';
import { type PageRequest, page } from './page.ts';

const MOST_CRAWLS = 100;
/** What is read once a publication goes on when the person who asked leaves. */
const UNTIL_READ = new AbortController().signal;

const Row = z.record(z.string(), z.unknown());
const Choice = z.strictObject({
  crawl_id: z.string(),
  crawl_number: z.number().nullable(),
  ended_at: z.string().nullable(),
  crawl_config_name: z.string().nullable(),
  previous_crawl_id: z.string().nullable(),
  is_main: z.boolean().nullable(),
});
type Choice = z.infer<typeof Choice>;

interface Compare {
  readonly project: string;
  /** As `crawlhouse compare --json` prints it; null where there are no two crawls. */
  readonly comparison: Comparison | null;
  readonly crawls: readonly Choice[];
}

export const COMPARE = page<Compare>({
  path: '/projects/:project_id/compare',
  summary: 'Two crawls of a project side by side.',
  query: {
    from: `The earlier crawl: ${CRAWL_NAMES}; without it, previous.`,
    to: 'The later one; without it, latest.',
  },
  schema: z.strictObject({
    project: z.string(),
    comparison: z
      .strictObject({
        ...{ from: Row, to: Row, notes: z.array(z.string()) },
        ...{ kpis: z.array(Row), issues: z.array(Row), pages: z.array(Row) },
      })
      .nullable(),
    crawls: z.array(Choice),
  }) as unknown as z.ZodType<Compare>,
  async read({ path, query }, desk) {
    const { project_id: project } = await calledProject(desk, path.project_id ?? '');
    const crawls = await crawlsOf(project, desk);
    const asked = askedOf(query, crawls);
    if (asked === null) return { project, comparison: null, crawls };
    const comparison = await desk.once(`compare ${JSON.stringify([project, asked])}`, () =>
      desk.warehouse.use((warehouse) => readComparison(warehouse, { project, ...asked }, UNTIL_READ)),
    );
    return { project, comparison, crawls };
  },
  draw: ({ project, comparison, crawls }, request) => ({
    title: comparison === null ? 'Compare' : `${crawlName(comparison.from)} and ${crawlName(comparison.to)}`,
    body: comparison === null ? drawNone(project, crawls) : drawCompare(comparison, crawls, request),
  }),
});

/** A crawl, the main one by default, with the one before it, or the next older one; null where there are no two. */
function askedOf(
  query: URLSearchParams,
  crawls: readonly Choice[],
): { readonly from: string; readonly to: string } | null {
  const main = crawls.find(({ is_main }) => is_main) ?? crawls[0];
  const to = query.get('to') || main?.crawl_id;
  const place = crawls.findIndex(({ crawl_id }) => crawl_id === to);
  const beside = crawls[place + 1] ?? crawls[place - 1];
  // What is not in the list is named another way, as latest is.
  const before = place === -1 ? 'previous' : (crawls[place]?.previous_crawl_id ?? beside?.crawl_id);
  const from = query.get('from') || (crawls.length < 2 ? undefined : before);
  return from === undefined || to === undefined ? null : { from, to };
}

function drawNone(project: string, crawls: readonly Choice[]): Html {
  const [only] = crawls;
  return html`<h1>${project}</h1>
${projectTabs(project, 'compare')}
<p class="notice">${only === undefined ? 'No crawl of this project has pages yet.' : html`There is one crawl with pages, ${crawlLink(only)}: nothing to compare it with.`}</p>
`;
}

async function crawlsOf(project: string, desk: Readers): Promise<readonly Choice[]> {
  const rows = await desk.rowsOnce(
    `SELECT crawl_id, crawl_number, ended_at, crawl_config_name, previous_crawl_id, is_main FROM mart.crawls
     WHERE project_id = $project AND has_pages ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS}`,
    new Map([['project', project]]),
  );
  return rows as unknown as Choice[];
}

function drawCompare(compare: Comparison, crawls: readonly Choice[], { query }: PageRequest): Html {
  const { from, to, notes } = compare;
  const project = to.project_id;
  const several = new Set(crawls.map(({ crawl_config_name }) => crawl_config_name)).size > 1;
  const options = crawls.map((one) => ({
    value: one.crawl_id,
    text: several ? `${crawlName(one)}, ${one.crawl_config_name ?? 'without a name'}` : crawlName(one),
  }));
  const chosen = new URLSearchParams(query);
  chosen.set('from', from.crawl_id);
  chosen.set('to', to.crawl_id);
  return html`<h1>${to.project}</h1>
${projectTabs(project, 'compare')}
<h2>${crawlName(from)} and ${crawlName(to)}</h2>
${filterForm(`${projectPath(project)}/compare`, chosen, [
  { name: 'from', label: 'from', any: null, options },
  { name: 'to', label: 'to', any: null, options },
])}
<p class="facts">From ${crawlLink(from)} to ${crawlLink(to)}. In a terminal: <code>crawlhouse compare ${shellWord(from.crawl_id)} ${shellWord(to.crawl_id)}</code></p>
${notes.map((note) => html`<p class="notice">${note}</p>\n`)}
<h2>Figures</h2>${kpisTable(compare)}
<h2>Pages</h2>${pagesTable(compare)}
<h2>Issues</h2>${issuesTable(compare)}
`;
}

/** Pages behind figures of one crawl. */
const BEHIND: Readonly<Record<string, AddressParts>> = {
  ...FIGURE_PAGES,
  client_error_pages: { status_code: ['gte:400', 'lt:500'] },
  server_error_pages: { status_code: ['gte:500', 'lt:600'] },
};

function kpisTable({ from, to, kpis }: Comparison): Html {
  const figure = (kpi: string, value: number | null, crawl: string): Html | string | null => {
    const behind = lookUp(BEHIND, kpi);
    if (value === null || behind === undefined) return value === null ? null : shown(value);
    return html`<a href="${pagesAddress(to.project_id, { crawl, ...behind })}">${shown(value)}</a>`;
  };
  return table(
    'Figures',
    [
      { name: 'figure', cell: ({ title }) => title },
      {
        name: crawlName(from),
        isNumber: true,
        cell: ({ kpi, before }) => figure(kpi, before, from.crawl_id),
      },
      { name: crawlName(to), isNumber: true, cell: ({ kpi, after }) => figure(kpi, after, to.crawl_id) },
      {
        name: 'change',
        isNumber: true,
        cell: ({ change, change_percent: percent, better, why }) => {
          if (change === null) return why && html`<span class="facts">not compared: ${why}</span>`;
          const kind =
            better === null || change === 0 ? 'plain' : change > 0 === (better === 'more') ? 'good' : 'bad';
          const share = percent === null ? null : html` <small>${signedValue(round(percent))} %</small>`;
          return html`<span class="${kind}">${signedValue(round(change))}</span>${share}`;
        },
      },
    ],
    kpis,
    '',
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;
const shown = (value: number): string => (Number.isInteger(value) ? countText(value) : String(round(value)));

function pagesTable({ from, to, pages }: Comparison): Html {
  const href = (change: string): string =>
    pagesAddress(to.project_id, { crawl: to.crawl_id, since: from.crawl_id, change });
  return table(
    'Pages',
    [
      { name: 'what', cell: ({ title }) => title },
      {
        name: 'pages',
        isNumber: true,
        cell: ({ change, pages: count, why }) =>
          count === null
            ? html`<span class="facts">not known: ${why}</span>`
            : count === 0
              ? countText(count)
              : html`<a href="${href(change)}">${countText(count)}</a>`,
      },
    ],
    pages,
    '',
  );
}

function issuesTable({ from, to, issues }: Comparison): Html {
  type Issue = Comparison['issues'][number];
  const count = (issue: Issue, value: number | null, change: string): Html | string => {
    if (value === null || value === 0) return countOrDash(value);
    const href = pagesAddress(to.project_id, {
      ...{ crawl: to.crawl_id, since: from.crawl_id, issue: issue.issue, change },
    });
    return html`<a href="${href}">${countText(value)}</a>`;
  };
  const side = (issue: Issue, value: number | null, crawl: string): Html | string =>
    value === null || value === 0
      ? countOrDash(value)
      : html`<a href="${pagesAddress(to.project_id, { crawl, issue: issue.issue })}">${countText(value)}</a>`;
  return table(
    'Issues',
    [
      { name: 'issue', cell: ({ title }) => title },
      { name: 'severity', cell: ({ severity }) => severityMark(severity) },
      { name: crawlName(from), isNumber: true, cell: (one) => side(one, one.before, from.crawl_id) },
      { name: crawlName(to), isNumber: true, cell: (one) => side(one, one.after, to.crawl_id) },
      { name: 'new', isNumber: true, cell: (one) => count(one, one.new, 'new') },
      { name: 'fixed', isNumber: true, cell: (one) => count(one, one.fixed, 'fixed') },
      { name: 'remaining', isNumber: true, cell: (one) => count(one, one.remaining, 'remaining') },
      { name: 'not compared', cell: ({ why }) => why },
    ],
    issues,
    'No page of either crawl has an issue.',
  );
}
