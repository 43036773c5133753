import { z } from 'zod';
import { type AddressParts, FIGURE_PAGES, pagesAddress } from '../../../answers/explore/pages/page-filter.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { readIncidents } from '../../../operations/status/remembered.ts';
import { crawlName, valueText } from '../../../project/model/shown/value-text.ts';
import { readLiveRun } from '../../../state/ledger/live-run.ts';
import type { Readers } from '../desk/desk.ts';
import { crawlLink, projectLink, projectPath } from '../layout/addresses.ts';
import { countOrDash } from '../layout/counts.ts';
import { filterForm } from '../layout/filter-form.ts';
import { drawLiveRun, LiveState, liveState } from '../layout/live-run.ts';
import { drawPaging, Paging, pagingOf } from '../layout/paging.ts';
import { drawKpis, fixedText, type Kpi, ON_PAGES, restAddress } from '../page-parts/kpi.ts';
import { type PageRequest, page } from '../page-parts/page.ts';
import {
  ProjectLine,
  ProjectTrend,
  projectsNamed,
  readProjects,
  readTrends,
} from '../page-parts/read-projects.ts';

const SIZE = 25;

const Mark = z.strictObject({
  kind: z.enum(['bad', 'warn']),
  text: z.string(),
});

const Site = z.strictObject({
  ...ProjectLine.shape,
  marks: z.array(Mark),
  trend: z.array(ProjectTrend),
});
type Site = z.infer<typeof Site>;

const Overview = z.strictObject({
  sites: z.array(Site),
  paging: Paging,
  /** Without the filter. */
  total: z.number(),
  /** Of these, the ones with a mark. */
  marked: z.number(),
  /** Why there are no figures of sites. */
  problem: z.strictObject({ message: z.string(), hint: z.string().nullable() }).nullable(),
  /** Titles of those that are open, the oldest first. */
  incidents: z.array(z.string()),
  live: LiveState.nullable(),
});
type Overview = z.infer<typeof Overview>;

export const OVERVIEW = page<Overview>({
  path: '/',
  summary: 'The sites: the figures of each, their changes, what is wrong; what needs attention first.',
  query: { name: 'Only projects with this text in their name or id.', page: 'From 1.' },
  schema: Overview,
  async read({ query }, desk) {
    const incidents = await readIncidents(desk.settings, Date.now());
    const { projects, problem } = await readSites(desk);
    const marked = projects.map((one) => ({ ...one, marks: marksOf(one, incidents) }));
    const found = projectsNamed(marked, query.get('name'));
    const { from, ...paging } = pagingOf(query.get('page'), found.length, SIZE);
    const shown = found.toSorted((a, b) => urgency(b) - urgency(a)).slice(from, from + SIZE);
    const trends = await readTrends(
      desk,
      shown.map(({ project_id }) => project_id),
    );
    const live = readLiveRun(desk.settings.state_dir);
    return {
      sites: shown.map((one) => ({ ...one, trend: [...(trends.get(one.project_id) ?? [])] })),
      paging,
      total: projects.length,
      marked: marked.filter(({ marks }) => marks.length > 0).length,
      problem,
      incidents: incidents.map(({ title }) => title),
      live: live && liveState(live),
    };
  },
  draw: (overview, request) => ({ title: 'Overview', body: drawOverview(overview, request) }),
});

/** Without a publication there are none yet; a project may do without the models that ship. */
async function readSites(
  desk: Readers,
): Promise<{ readonly projects: readonly ProjectLine[]; readonly problem: Overview['problem'] }> {
  try {
    return { projects: await readProjects(desk), problem: null };
  } catch (thrown) {
    if (!(thrown instanceof CrawlhouseError)) throw thrown;
    if (thrown.code === 'nothing_published') return { projects: [], problem: null };
    if (thrown.code !== 'bad_query') throw thrown;
    const message = 'The warehouse lacks the models of sites.';
    return {
      projects: [],
      problem: {
        message,
        hint: 'crawlhouse transform makes them, unless crawlhouse.yaml has shipped_models: none',
      },
    };
  }
}

function marksOf(
  site: ProjectLine,
  incidents: readonly {
    readonly title: string;
    readonly project_id: string | null;
    readonly details: readonly string[];
  }[],
): Site['marks'] {
  const own = incidents
    .filter(({ project_id }) => project_id === site.project_id)
    .map(({ title, details: [why] }) => ({
      kind: 'bad' as const,
      text: why === undefined ? title : `${title}. ${why}`,
    }));
  const { last_crawl_id, last_crawl_number, last_ended_at, last_end_reason, last_is_comparable } = site;
  if (last_crawl_id === null || last_is_comparable !== false) return own;
  const last = { crawl_id: last_crawl_id, crawl_number: last_crawl_number, ended_at: last_ended_at };
  const how = `${crawlName(last)} ended early${last_end_reason === null ? '' : `: ${last_end_reason.replaceAll('_', ' ')}`}`;
  if (site.last_has_pages !== true) return [...own, { kind: 'bad', text: `${how}. It has no pages.` }];
  return [
    ...own,
    {
      kind: 'warn',
      text: site.crawl_id === last_crawl_id ? how : `${how}. The figures are of the previous crawl.`,
    },
  ];
}

/** Red marks come first, then others, then the share of pages that were lost to search or became errors. */
function urgency({ marks, pages, indexable_pages_change, error_pages_change }: Omit<Site, 'trend'>): number {
  const mark = marks.some(({ kind }) => kind === 'bad') ? 4 : marks.length > 0 ? 2 : 0;
  const worse = Math.max(0, -Number(indexable_pages_change)) + Math.max(0, Number(error_pages_change));
  return mark + Math.min(1, worse / Math.max(1, Number(pages)));
}

function drawOverview(overview: Overview, { query }: PageRequest): Html {
  const { sites, paging, total, marked, problem, incidents, live } = overview;
  const form = total > SIZE ? filterForm('/', query, [{ name: 'name', label: 'name or id' }]) : null;
  return html`<h1>Overview</h1>
${incidentsLine(incidents)}
${
  total === 0
    ? null
    : html`<p class="facts">${counted(total, 'site')}, ${marked === 0 ? 'none' : countOrDash(marked)} with a mark. Marked ones come first, then
those with the largest share of pages that were lost to search or became errors since the previous crawl.</p>`
}
${form}
${problem === null ? null : html`<p class="notice">${problem.message} To do: ${problem.hint}</p>`}
${total === 0 && problem === null ? html`<p class="notice">No crawl is published yet. Run <code>crawlhouse run</code>, and reload this page.</p>` : null}
${total > 0 && sites.length === 0 ? html`<p class="empty">No project has that in its name. <a href="/">All projects</a></p>` : null}
<ol class="sites">${sites.map(drawSite)}</ol>
${drawPaging(paging, { path: '/', query })}
<div data-live>${live && drawLiveRun(live)}</div>
`;
}

function incidentsLine([first, ...others]: Overview['incidents']): Html {
  if (first === undefined) return html`<p class="well">No incident is open.</p>`;
  const count =
    others.length === 0 ? 'One incident is open' : `${counted(others.length + 1, 'incident')} are open`;
  return html`<p class="incident line">${count}: ${first}${others.length === 0 ? null : ' …'} <a href="/operations">Operations</a></p>`;
}

function drawSite(site: Site): Html {
  const { project_id, project_name, crawl_id, last_ended_at, marks } = site;
  return html`<li class="site${marks.some(({ kind }) => kind === 'bad') ? ' marked' : ''}">
<div><h2>${projectLink(project_id, project_name)}</h2>
<p class="facts">${crawl_id === null ? 'No pages are loaded.' : html`${crawlLink({ ...site, crawl_id })} · <a href="${projectPath(project_id)}/issues" aria-label="Issues of ${project_name ?? project_id}">Issues</a>`}${
    last_ended_at === null
      ? null
      : html`<br>last crawl ${valueText((Date.now() - Date.parse(last_ended_at)) / 1000, 'age')} ago`
  }</p>
${marks.map(({ kind, text }) => html`<p class="mark ${kind}">${text}</p>`)}
${site.scope_note === null ? null : html`<p class="facts">${site.scope_note}</p>`}</div>
${crawl_id === null ? null : drawKpis(kpisOf(site))}
</li>
`;
}

function kpisOf(site: Site): Kpi[] {
  const { project_id, crawl_id } = site;
  const pages = (parts: AddressParts): string => pagesAddress(project_id, { crawl: crawl_id, ...parts });
  const whole = site.is_comparable === false ? 'ended early' : 'no previous crawl';
  const reason = site.previous_crawl_id === null ? whole : 'unknown for the previous crawl';
  const { new_issues } = site;
  const trend = (name: keyof ProjectTrend): unknown[] => site.trend.map((one) => one[name]);
  const figure = (name: 'indexable_pages' | 'error_pages' | 'clicks') => {
    return { value: site[name], change: site[`${name}_change`], reason, trend: trend(name) };
  };
  return [
    {
      ...{ name: 'Indexable pages', better: 'more', ...figure('indexable_pages') },
      href: pages(FIGURE_PAGES.indexable_pages),
    },
    {
      ...{ name: 'Errors', better: 'less', ...figure('error_pages') },
      href: pages(FIGURE_PAGES.error_pages),
    },
    {
      ...{ name: 'New findings', better: null, value: new_issues, change: null, trend: trend('new_issues') },
      reason: new_issues === null ? reason : fixedText(site),
      href: `${projectPath(project_id)}/issues?changed=1`,
    },
    {
      ...{ name: ON_PAGES.clicks, better: 'more', ...figure('clicks') },
      all: crawl_id === null ? null : { value: site.all_clicks, href: restAddress(crawl_id) },
      reason: site.clicks === null ? 'no search results of its days' : (site.clicks_change_reason ?? reason),
      days: site.ranking_to_date && `${site.ranking_from_date} to ${site.ranking_to_date}`,
    },
  ];
}
