import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { readLiveRun } from '../../../etl/state/ledger/live-run.ts';
import { type AddressParts, FIGURE_PAGES, pagesAddress } from '../../answers/explore/pages/page-filter.ts';
import { crawlName, valueText } from '../../answers/presentation/value-text.ts';
import { readLiveCrawl } from '../../operations/status/live-crawl.ts';
import { readIncidents } from '../../operations/status/remembered.ts';
import { crawlLink, projectLink, projectPath } from '../layout/addresses.ts';
import { drawLiveRun, LiveState, liveState } from '../layout/draw-live-run.ts';
import { filterForm } from '../layout/filter-form.ts';
import { drawPaging, Paging, pagingOf } from '../layout/paging.ts';
import { countOrDash } from '../layout/unit-counts.ts';
import { type PageRequest, page } from '../page-parts/console-page.ts';
import { drawKpis, fixedText, type Kpi, ON_PAGES, restAddress } from '../page-parts/kpi.ts';
import {
  ProjectLine,
  ProjectTrend,
  projectsNamed,
  readProjects,
  readTrends,
} from '../page-parts/read-projects.ts';
import { canConnect } from '../page-parts/website/connecting.ts';
import { checkForm, connectForm } from '../page-parts/website/website-forms.ts';
import { type Readers, withoutModels } from '../readers/readers.ts';
import { drawTopChanges, readTopChanges, TopChange } from './top-changes.ts';

const SIZE = 25;
const MOST_MARKS = 2;
const NO_MODELS = 'the warehouse lacks the issue models';

const Mark = z.strictObject({ kind: z.enum(['bad', 'warn']), text: z.string() });

const Site = z.strictObject({
  ...ProjectLine.shape,
  marks: z.array(Mark),
  trend: z.array(ProjectTrend),
  /** The most important changes since the previous crawl; null while they are being read, or unknown. */
  changes: z.array(TopChange).nullable(),
  /** Why the changes are unknown. */
  changes_reason: z.string().nullable(),
});
type Site = Typed<typeof Site>;

const Overview = z.strictObject({
  sites: z.array(Site),
  paging: Paging,
  /** Without the filter. */
  total: z.number(),
  /** Of the total, the sites with a mark. */
  marked: z.number(),
  /** Why there are no figures of sites. */
  problem: z.strictObject({ message: z.string(), hint: z.string().nullable() }).nullable(),
  /** Titles of open incidents, oldest first. */
  incidents: z.array(z.string()),
  live: LiveState.nullable(),
  /** The crawl that is running or paused. */
  crawling: z.strictObject({ start_url: z.string(), state: z.enum(['running', 'paused']) }).nullable(),
  /** What the person can start here. */
  can_crawl: z.boolean(),
  can_connect: z.boolean(),
});
type Overview = Typed<typeof Overview>;

export const OVERVIEW = page<Overview>({
  path: '/',
  summary: 'The sites: figures, changes, issues, and what needs attention first.',
  query: {
    name: 'Only projects with this text in their name or id.',
    page: 'The page, from 1.',
    all: '1: lists the sites even if there is only one.',
    wait: '1: wait for the changes of each site, even slow ones.',
  },
  schema: Overview,
  async read(request, readers) {
    const { query, canAct } = request;
    const { settings } = readers;
    const incidents = await readIncidents(settings, Date.now());
    const { projects, problem } = await readSites(readers);
    const marked = projects.map((project) => ({ ...project, marks: marksOf(project, incidents) }));
    const found = projectsNamed(marked, query.get('name'));
    const { from, ...paging } = pagingOf(query.get('page'), found.length, SIZE);
    const shown = found.toSorted((a, b) => urgency(b) - urgency(a)).slice(from, from + SIZE);
    const trends = await readTrends(
      readers,
      shown.map(({ project_id }) => project_id),
    );
    const whys = new Map(shown.map((one) => [one.project_id, whyNoChanges(one)]));
    const compared = shown.filter(({ project_id }) => whys.get(project_id) === null);
    const crawls = compared.flatMap(({ crawl_id }) => crawl_id ?? []);
    const changes = await readTopChanges(readers, crawls, query.has('wait')).catch(withoutModels(undefined));
    const live = readLiveRun(settings.state_dir);
    const crawl = readLiveCrawl(settings);
    const isOpen = crawl?.state === 'running' || crawl?.state === 'paused';
    return {
      sites: shown.map((one) => {
        const trend = [...(trends.get(one.project_id) ?? [])];
        const why = whys.get(one.project_id) ?? (changes === undefined ? NO_MODELS : null);
        const own = why === null && changes ? [...(changes.get(one.crawl_id ?? '') ?? [])] : null;
        return { ...one, trend, changes: own, changes_reason: why };
      }),
      paging,
      total: projects.length,
      marked: marked.filter(({ marks }) => marks.length > 0).length,
      problem,
      incidents: incidents.map(({ title }) => title),
      live: live && liveState(live),
      crawling: isOpen ? { start_url: crawl.start_url, state: crawl.state } : null,
      can_crawl: canAct && settings.base_url === undefined,
      can_connect: request.may('POST /connect') && projects.length === 0 && canConnect(request, settings),
    };
  },
  draw: (overview, request) => ({
    title: 'Overview',
    body: drawOverview(overview, request),
    location: onlySite(overview, request),
  }),
});

/** Returns the page of the only site, or null if there are several sites or the address requests the list. */
function onlySite({ sites: [site], total }: Overview, { query }: PageRequest): string | null {
  return site === undefined || total > 1 || query.size > 0 ? null : projectPath(site.project_id);
}

/** Returns why the changes of a site are unknown; null if its crawl was compared. */
function whyNoChanges(site: ProjectLine): string | null {
  if (site.crawl_id === null) return 'no pages are loaded';
  return site.previous_crawl_id === null || site.new_issues === null ? changeReason(site) : null;
}

function changeReason({ is_comparable, previous_crawl_id }: ProjectLine): string {
  if (previous_crawl_id !== null) return 'unknown for the previous crawl';
  return is_comparable === false ? 'ended early' : 'no previous crawl';
}

/** Empty without a publication; a project may also omit the shipped models. */
async function readSites(
  readers: Readers,
): Promise<{ readonly projects: readonly ProjectLine[]; readonly problem: Overview['problem'] }> {
  try {
    return { projects: await readProjects(readers), problem: null };
  } catch (thrown) {
    if (!(thrown instanceof CrawlhouseError)) throw thrown;
    if (thrown.code === 'nothing_published') return { projects: [], problem: null };
    if (thrown.code !== 'bad_query') throw thrown;
    const message = 'The warehouse lacks the site models.';
    return {
      projects: [],
      problem: {
        message,
        hint: 'crawlhouse transform builds them, unless crawlhouse.yaml sets shipped_models: none',
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
    .map(({ title, details: [why] }) => {
      // The site's own name is above.
      const what = title.replace(`${site.project_name ?? site.project_id}: `, '');
      const text = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
      return {
        kind: 'bad' as const,
        text: why === undefined ? text : `${text}${/^of /.test(why) ? ',' : '.'} ${why}`,
      };
    });
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

/** Sorts red marks first, then others, then by the share of pages that were lost to search or became errors. */
function urgency({
  marks,
  pages,
  indexable_pages_change,
  error_pages_change,
}: Omit<Site, 'trend' | 'changes' | 'changes_reason'>): number {
  const mark = marks.some(({ kind }) => kind === 'bad') ? 4 : marks.length > 0 ? 2 : 0;
  const worse = Math.max(0, -Number(indexable_pages_change)) + Math.max(0, Number(error_pages_change));
  return mark + Math.min(1, worse / Math.max(1, Number(pages)));
}

function drawOverview(overview: Overview, { query, session }: PageRequest): Html {
  const { sites, paging, total, marked, problem, incidents, live, crawling } = overview;
  const isEmpty = total === 0 && problem === null;
  const form = total > SIZE ? filterForm('/', query, [{ name: 'name', label: 'name or id' }]) : null;
  return html`<h1>Overview</h1>
${isEmpty && incidents.length === 0 ? null : incidentsLine(incidents)}
${crawling && html`<p class="notice">A crawl of ${crawling.start_url} is ${crawling.state}. <a href="/crawling">Its progress</a></p>`}
${overview.can_crawl && !isEmpty ? html`<p><a class="button main" href="/start">Crawl a website</a></p>` : null}
${
  total === 0
    ? null
    : html`<p class="facts">${counted(total, 'site')}, ${marked === 0 ? 'none' : countOrDash(marked)} with a mark. Marked sites come first, then
the sites with the largest share of pages that were lost to search or became errors since the previous crawl.</p>`
}
${form}
${problem === null ? null : html`<p class="notice">${problem.message} To do: ${problem.hint}</p>`}
${isEmpty ? drawWays(overview, session.csrf) : null}
${total > 0 && sites.length === 0 ? html`<p class="empty">No project matches this name. <a href="/">All projects</a></p>` : null}
${sites.some(isPending) && html`<p class="waiting" role="status" data-pending>The changes of the sites are being read. <noscript>Reload the page to see them.</noscript></p>`}
<ol class="sites">${sites.map(drawSite)}</ol>
${drawPaging(paging, { path: '/', query })}
<div data-live>${live && drawLiveRun(live)}</div>
`;
}

/** Returns what to do while nothing is published. */
function drawWays({ can_crawl, can_connect }: Overview, csrf: string): Html {
  if (!can_crawl)
    return html`<p class="notice">No crawl is published yet. Run <code>crawlhouse run</code>, and reload this page.</p>`;
  return html`<p>No crawl is published yet. The first one brings pages, issues and what to do first.</p>
<div class="pair"><section aria-labelledby="website"><h2 id="website">Crawl a website</h2>
<p>Without an account. The next page first checks whether the website can be crawled.</p>
${checkForm('')}</section>
${
  can_connect
    ? html`<section aria-labelledby="account"><h2 id="account">Connect an account</h2>
<p>Loads the crawls of a crawl-analysis service. The token needs the scopes account:read and projects:read.</p>
${connectForm(csrf)}</section>`
    : null
}</div>`;
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
${marks.slice(0, MOST_MARKS).map(({ kind, text }) => html`<p class="mark ${kind}">${text}</p>`)}
${marks.length <= MOST_MARKS ? null : html`<p class="mark"><a href="${projectPath(project_id)}">${countOrDash(marks.length - MOST_MARKS)} more</a></p>`}
${site.scope_note === null ? null : html`<p class="facts">${site.scope_note}</p>`}
${drawChanges(site)}</div>
${crawl_id === null ? null : drawKpis(kpisOf(site))}
</li>
`;
}

const isPending = ({ changes, changes_reason }: Site): boolean => changes === null && changes_reason === null;

function drawChanges(site: Site): Html | null {
  const { project_id, crawl_id, changes, changes_reason } = site;
  if (crawl_id === null) return null;
  if (changes_reason !== null) return html`<p class="facts">Changes: ${changes_reason}.</p>`;
  if (changes === null) return null;
  if (changes.length === 0)
    return html`<p class="facts">No compared issue has new pages.${unknownChanges(site)}</p>`;
  return drawTopChanges(project_id, crawl_id, changes);
}

function unknownChanges({ uncompared_issues, unseen_issues }: Site): string {
  const [issues, findings] = [Number(uncompared_issues), Number(unseen_issues)];
  const unknown = [
    issues > 0 ? `${counted(issues, 'issue')} that ${issues === 1 ? 'was' : 'were'} not compared` : null,
    findings > 0
      ? `${counted(findings, 'finding')} on pages or sitemaps that the previous crawl did not read`
      : null,
  ].filter((one) => one !== null);
  return unknown.length === 0 ? '' : ` Unknown: ${unknown.join(', ')}.`;
}

function kpisOf(site: Site): Kpi[] {
  const { project_id, crawl_id } = site;
  const pages = (parts: AddressParts): string => pagesAddress(project_id, { crawl: crawl_id, ...parts });
  const reason = changeReason(site);
  const { new_issues } = site;
  const trend = (name: keyof ProjectTrend): unknown[] => site.trend.map((one) => one[name]);
  const figure = (name: 'indexable_pages' | 'error_pages' | 'clicks') => {
    return { value: site[name], change: site[`${name}_change`], reason, trend: trend(name) };
  };
  return [
    {
      name: 'Indexable pages',
      better: 'more',
      ...figure('indexable_pages'),
      href: pages(FIGURE_PAGES.indexable_pages),
    },
    { name: 'Errors', better: 'less', ...figure('error_pages'), href: pages(FIGURE_PAGES.error_pages) },
    {
      name: 'New findings',
      better: null,
      value: new_issues,
      change: null,
      trend: trend('new_issues'),
      reason: new_issues === null ? reason : fixedText(site),
      href: `${projectPath(project_id)}/issues?changed=1`,
    },
    {
      name: ON_PAGES.clicks,
      better: 'more',
      ...figure('clicks'),
      all: crawl_id === null ? null : { value: site.all_clicks, href: restAddress(crawl_id) },
      reason: site.clicks === null ? 'no search results for its days' : (site.clicks_change_reason ?? reason),
      days: site.ranking_to_date && `${site.ranking_from_date} to ${site.ranking_to_date}`,
    },
  ];
}
