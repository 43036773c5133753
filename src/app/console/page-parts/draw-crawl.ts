import { counted } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { foundIssues } from '../../answers/explore/issues/issue-blocks.ts';
import { isChanged } from '../../answers/explore/issues/read-issues.ts';
import { WHOLE_SITE } from '../../answers/explore/page-segments.ts';
import { type AddressParts, FIGURE_PAGES, pagesAddress } from '../../answers/explore/pages/page-filter.ts';
import { scopeLines } from '../../answers/explore/scope-lines.ts';
import { barChart } from '../../answers/presentation/charts/bars.ts';
import { coloursOf } from '../../answers/presentation/charts/palette.ts';
import { table } from '../../answers/presentation/html-table.ts';
import { statusMark, timeText } from '../../answers/presentation/marks.ts';
import { columnName, crawlName } from '../../answers/presentation/value-text.ts';
import { crawlLink, crawlPath, drawBlocks, projectLink, projectPath, unitLink } from '../layout/addresses.ts';
import { drawTabs } from '../layout/project-tabs.ts';
import { countOrDash } from '../layout/unit-counts.ts';
import { crawlButtons } from './acting.ts';
import { answerFigure, drawPending, type FigureAnswer, shownValue } from './answer-figure.ts';
import type { PageRequest } from './console-page.ts';
import type { CrawlPage } from './crawl-document.ts';
import { firstThingsFigure } from './first-things-figure.ts';
import { drawKpis, type Kpi, ON_PAGES, restAddress } from './kpi.ts';
import { funnelFigure } from './project-figures.ts';

const NOT_LOADED = 'The pages of this crawl are not loaded.';
const MOST_FIRST = 5;
const MOST_ISSUES = 15;

const BETTER: Readonly<Record<string, Kpi['better']>> = {
  indexable_pages: 'more',
  clicks: 'more',
  impressions: 'more',
  search_bot_hits: 'more',
  error_pages: 'less',
  redirect_pages: 'less',
  duplicate_pages: 'less',
  orphan_pages: 'less',
  average_depth: 'less',
  average_load_time: 'less',
};

export function drawCrawl(crawl: CrawlPage, { query, canAct }: PageRequest): Html {
  const { crawl_id, project_id, ended_at, end_reason, before, after } = crawl;
  const isUnits = query.get('tab') === 'units';
  const path = crawlPath(crawl_id);
  return html`<h1>${crawlName(crawl)}</h1>
<p class="facts">${project_id === null ? null : html`Project ${projectLink(project_id, crawl.project_name)}, `}configuration ${crawl.crawl_config_name ?? '–'}.
Ended ${ended_at === null ? '–' : html`${timeText(ended_at)} UTC`}${end_reason === null ? null : `: ${end_reason.replaceAll('_', ' ')}`}.${project_id === null ? null : html` <a href="${projectPath(project_id)}/report?crawl=${encodeURIComponent(crawl_id)}">Report</a> · <a href="${projectPath(project_id)}/workbook?crawl=${encodeURIComponent(crawl_id)}" download>Excel workbook</a>`}</p>
${
  before === null && after === null
    ? null
    : html`<nav class="paging" aria-label="Adjacent crawls">${before && html`<span>← ${crawlLink(before)}</span>`} ${after && html`<span>${crawlLink(after)} →</span>`}</nav>`
}
${drawTabs('Parts of the crawl', [
  { name: 'What changed', href: path, isCurrent: !isUnits },
  { name: 'Units', href: `${path}?tab=units`, isCurrent: isUnits },
])}
${drawBlocks(scopeLines(crawl.scope_note))}
${
  isUnits
    ? html`${unitsTable(crawl.units)}
${canAct ? crawlButtons(crawl_id, ended_at) : null}`
    : drawChanges(crawl)
}
`;
}

/** The address of pages of the crawl; null if its project is unknown. */
type To = (parts: AddressParts) => string | null;

function drawChanges(crawl: CrawlPage): Html {
  const { crawl_id, project_id, compared, first, figures, changes, statuses, funnel } = crawl;
  const name = crawlName(crawl);
  const to: To = (parts) => project_id && pagesAddress(project_id, { crawl: crawl_id, ...parts });
  const fields = changes.rows.map(({ change, pages }) => ({
    name: columnName(String(change)),
    value: Number(pages),
    href: to({ change: String(change) }),
  }));
  const named = {
    ...changes,
    rows: changes.rows.map((row, index) => ({ ...row, change: fields[index]?.name })),
  };
  return html`${drawPending([first, figures, changes, statuses, funnel])}
${firstThingsFigure(first, {
  name,
  most: MOST_FIRST,
  judged: project_id === null ? null : { project_id, parts: { crawl: crawl_id } },
  all: project_id && `${projectPath(project_id)}/issues?crawl=${encodeURIComponent(crawl_id)}`,
})}
${answerFigure(compared === null ? 'Figures' : `Against ${crawlName(compared)}`, figures, {
  rows: drawKpis(kpisOf(crawl, to)),
  empty: NOT_LOADED,
})}
<div class="pair">
<section aria-labelledby="wrong"><h2 id="wrong">What is wrong</h2>
${issuesTable(crawl)}</section>
<section aria-labelledby="changed"><h2 id="changed">What changed</h2>
<div class="charts">
${answerFigure('Changes of pages', named, {
  chart: barChart(`Changes of pages in ${name}`, fields),
  empty: compared === null ? 'There is no previous crawl to compare with.' : 'No page has changed.',
})}
${funnelFigure(name, funnel, (_crawl, parts) => to(parts))}
${answerFigure('Status codes', statuses, { chart: statusBars(name, statuses, to), empty: NOT_LOADED })}
</div></section>
</div>
`;
}

function statusBars(name: string, { rows }: FigureAnswer, to: To): Html | null {
  const codes = rows.map(({ status_code }) => (status_code === null ? 'no answer' : String(status_code)));
  const colours = coloursOf(codes);
  const bars = rows.map(({ status_code, pages }, index) => ({
    name: codes[index] ?? '',
    value: Number(pages),
    href: to({ status_code: status_code === null ? 'is:null' : `eq:${status_code}` }),
    colour: colours[index] ?? '',
  }));
  return barChart(`Status codes of ${name}`, bars);
}

/** Returns the figures, each with its change or why there is none. */
function kpisOf(
  { crawl_id, figures, compared, is_comparable }: CrawlPage,
  to: (parts: AddressParts) => string | null,
): Kpi[] {
  const [row = {}] = figures.rows;
  const whole = is_comparable === false ? 'ended early' : 'no previous crawl';
  return Object.keys(row)
    .filter((name) => Object.hasOwn(row, `${name}_change`))
    .map((name) => {
      const pages = FIGURE_PAGES[name as keyof typeof FIGURE_PAGES];
      return {
        name: lookUp(ON_PAGES, name) ?? columnName(name),
        value: row[name],
        all: Object.hasOwn(row, `all_${name}`)
          ? { value: row[`all_${name}`], href: restAddress(crawl_id) }
          : null,
        change: row[`${name}_change`],
        reason:
          shownValue(row[`${name}_change_reason`]) ??
          (row[name] === null ? 'unknown' : compared === null ? whole : 'unknown for the previous crawl'),
        better: lookUp(BETTER, name) ?? null,
        href: pages && to(pages),
        days: daysOf(name, row),
      };
    });
}

/** Returns the days of sums over search results or log files (mart.crawl_days). */
function daysOf(name: string, answered: Readonly<Record<string, unknown>>): string | null {
  const [from, to] =
    name === 'search_bot_hits'
      ? [answered.log_from_date, answered.log_to_date]
      : name === 'clicks' || name === 'impressions'
        ? [answered.ranking_from_date, answered.ranking_to_date]
        : [];
  return from == null || to == null ? null : `${from} to ${to}`;
}

/** Returns the changed issues, or all issues of a crawl without a comparison. */
function issuesTable({ crawl_id, project_id, compared, pages, issues }: CrawlPage): Html {
  if (project_id === null || pages === null) return html`<p class="empty">${NOT_LOADED}</p>`;
  if (issues === null)
    return html`<p class="notice">The warehouse lacks the issue models. To do: <code>crawlhouse transform</code>, unless crawlhouse.yaml has <code>shipped_models: none</code></p>`;
  const changed = issues.filter(isChanged);
  const shown = (compared === null ? issues : changed).slice(0, MOST_ISSUES);
  const all = `${projectPath(project_id)}/issues?crawl=${encodeURIComponent(crawl_id)}`;
  return html`${drawBlocks([foundIssues({ project_id, crawl_id, ...WHOLE_SITE }, shown, issues.length > 0)])}
<p class="facts">${compared === null ? null : html`${counted(changed.length, 'issue')} with new, fixed or missing pages. `}<a href="${all}">All ${counted(issues.length, 'issue')}</a></p>`;
}

function unitsTable(units: CrawlPage['units']): Html {
  return table(
    'Units',
    [
      { name: 'unit', cell: ({ unit }) => unitLink(unit) },
      { name: 'status', cell: ({ status }) => statusMark(status) },
      { name: 'route', cell: ({ route }) => route },
      ...(['reported', 'received', 'rejected', 'loaded', 'queryable'] as const).map((name) => ({
        name,
        isNumber: true,
        cell: (unit: CrawlPage['units'][number]) => countOrDash(unit[name]),
      })),
      { name: 'error', cell: ({ error }) => error },
    ],
    units,
    html`This crawl has no units yet. To load it, run <code>crawlhouse run --crawl ID</code>.`,
  );
}
