import { counted, countText, figureText, sumOfKnown } from '../../../core/text/amounts.ts';
import { Html, html } from '../../../core/text/html.ts';
import { type Note, notesOf } from '../../../etl/project/settings/notes.ts';
import { barChart, indexabilityFunnel } from '../presentation/charts/bars.ts';
import { CHART_STYLE } from '../presentation/charts/chart-style.ts';
import { lineChart, type Series, statusChart } from '../presentation/charts/charts.ts';
import { sparkline } from '../presentation/charts/sparkline.ts';
import { isNumeric, rowsTable, table } from '../presentation/html-table.ts';
import { severityMark } from '../presentation/marks.ts';
import { PAGE_STYLE } from '../presentation/page-style.ts';
import { type AddressOf, printHtml } from '../presentation/print-html.ts';
import { columnName } from '../presentation/value-text.ts';
import { type AnswerRows, QUESTIONS } from './crawl-answers.ts';
import { firstCauses, firstThingsBlocks, firstThingsOf } from './first-things.ts';
import type { ProjectReport, ReportIssue, TrendPoint } from './read-site-report.ts';
import { verdictOf } from './verdict.ts';

/** The style of the report, for mail, phone and paper. */
const REPORT_STYLE = `${PAGE_STYLE}${CHART_STYLE}
main { max-width: 1240px; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 1.25rem; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1rem; }
.facts { color: var(--soft); font-size: .9rem; margin: .2rem 0 .6rem; overflow-wrap: anywhere; }
.wrong { border-left: 4px solid var(--bad); padding: .3rem .8rem; background: var(--side); overflow-wrap: anywhere; }
h2 a { color: inherit; }
.verdict { background: var(--side); border: 1px solid var(--line); border-left: 4px solid var(--link); border-radius: 6px; padding: .5rem 1rem; margin: .8rem 0; }
.verdict p { margin: .25rem 0; overflow-wrap: anywhere; }
th:has(.prose) { max-width: 34rem; vertical-align: top; } .prose { min-width: 18rem; max-width: 34rem; } .prose p { margin: .1rem 0; font-weight: 400; font-size: .9em; color: var(--soft); }
td { vertical-align: top; } td > span:is(.bad, .warn, .plain)::before { content: ''; display: inline-block; width: 10px; height: 10px; margin-right: .3em; background: currentColor; } .example { white-space: normal; min-width: 11rem; max-width: 26rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem 1.1rem .3rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; } tbody th { font-weight: 600; white-space: normal; min-width: 8rem; max-width: 26rem; overflow-wrap: anywhere; } .number { text-align: right; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 1.2rem; margin-top: 1.4rem; }
figure { margin: 0; padding: .9rem; background: var(--side); border: 1px solid var(--line); border-radius: 8px; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: .3rem; }
summary { cursor: pointer; color: var(--link); font-size: .9rem; } code { font-family: ui-monospace, monospace; font-size: .9em; }
@media (max-width: 600px) {
  .rows, .rows tbody { display: block; } .rows thead { display: none; } .prose, .example { min-width: 0; }
  .rows tr { display: flex; flex-wrap: wrap; gap: .1rem 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .rows :is(th, td) { padding: 0; border: 0; text-align: left; max-width: 100%; } .rows tbody th { flex: 1 0 100%; }
  .rows td::before { content: attr(data-name) " "; color: var(--soft); }
}
header { display: flex; gap: 1rem; align-items: center; justify-content: space-between; flex-wrap: wrap; }
header img { max-height: 56px; max-width: 240px; }
.remark { white-space: pre-line; max-width: 60rem; overflow-wrap: anywhere; }
.sparkline path { fill: none; stroke: var(--link); stroke-width: 1.5; } .sparkline circle { fill: var(--link); }
@page { margin: 14mm 12mm; }
@media print {
  :root { color-scheme: light; }
  html, body { font-size: 10.5px; } main { max-width: none; padding: 0; }
  section + section { break-before: page; }
  h2, h3, figcaption, thead { break-after: avoid; } figure, tr, .verdict, .wrong { break-inside: avoid; }
  details { display: none; } details.all { display: block; } details.all > summary { display: none; }
  details.all::details-content { content-visibility: visible; block-size: auto; }
  .scroll { overflow: visible; } .prose { min-width: 20rem; } .example { min-width: 12rem; } th, td { padding-right: .6rem; }
  .charts { grid-template-columns: 1fr 1fr; gap: .6rem; }
}
`;

/** Things to do at the top of the report. */
const MOST_FIRST = 5;
/** Issues that are shown unfolded. */
const MOST_ISSUES = 12;

const PAGES: readonly Series<TrendPoint>[] = [
  { name: 'all', value: ({ pages }) => pages },
  { name: 'indexable', value: ({ indexable_pages }) => indexable_pages },
  { name: 'errors', value: ({ error_pages }) => error_pages },
];
const SPEED: readonly Series<TrendPoint>[] = [
  { name: 'average load time', value: ({ average_load_time }) => average_load_time },
];

/** The current problems of a project. If there are any, its figures are those of the previous crawl. */
interface Wrong {
  readonly project_id: string | null;
  readonly title: string;
  readonly details: readonly string[];
}

/** The client, the author and the author's comment. */
export interface Letterhead {
  readonly client?: string | undefined;
  readonly author?: string | undefined;
  /** As a `data:image/` address. */
  readonly logo?: string | undefined;
  readonly remark?: string | undefined;
}

/** Returns the report as one HTML file without scripts; it loads nothing from elsewhere. */
export function reportPage(
  projects: readonly ProjectReport[],
  at: Date,
  {
    incidents = [],
    notes = [],
    link = () => null,
    letterhead: { client, author, logo, remark } = {},
  }: {
    incidents?: readonly Wrong[];
    notes?: readonly Note[];
    /** Links to the console, or to nothing if the console's address is not set. */
    link?: AddressOf;
    letterhead?: Letterhead;
  } = {},
): string {
  const several = projects.length > 1;
  const [only] = projects;
  const title = only && !several ? nameOf(only) : `${countText(projects.length)} projects`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${title}: crawl report</title>
<style>${new Html(REPORT_STYLE)}</style>
</head>
<body>
<main>
<header><div><h1>Crawl report: ${title}</h1>
<p class="facts">${client && `For ${client}. `}Made ${minute(at)} UTC by ${author ?? 'crawlhouse'}. Days are in UTC.</p></div>
${logo && html`<img src="${logo}" alt="">`}</header>
${remark && html`<p class="remark">${remark}</p>`}
${projects.length === 0 ? html`<p>No project has a loaded crawl yet. Run <code>crawlhouse run</code> first.</p>` : null}
${several ? overview(projects) : null}
${projects.map((project, index) => {
  const own = incidents.filter(({ project_id }) => project_id === project.project_id);
  return html`<section id="p${index}">
${head(project, own, link)}
${issuesOf(project, link)}
${charts(project, notesOf(notes, project), link)}
</section>
`;
})}
</main>
</body>
</html>
`;
  return page.text;
}

function overview(projects: readonly ProjectReport[]): Html {
  const severe = ({ issues }: ProjectReport) => issues.filter(({ severity }) => severity === 'high');
  const figure = (name: string, of: (project: ProjectReport) => number | null | undefined) => ({
    name,
    isNumber: true,
    cell: (project: ProjectReport) => numberText(of(project)),
  });
  return table(
    'Projects',
    [
      {
        name: 'Project',
        cell: (project) => html`<a href="#p${projects.indexOf(project)}">${nameOf(project)}</a>`,
      },
      { name: 'Last crawl', cell: ({ ended_at }) => day(ended_at) },
      figure('Pages', ({ trend }) => trend.at(-1)?.pages),
      figure('Indexable', ({ trend }) => trend.at(-1)?.indexable_pages),
      figure('Errors', ({ trend }) => trend.at(-1)?.error_pages),
      figure('Severe issues', (project) => severe(project).filter(({ pages }) => pages > 0).length),
      figure('New pages with them', (project) => sumOfKnown(severe(project).map((one) => one.new))),
    ],
    projects,
    '',
  );
}

/** Returns the crawl, two sentences about the changes, and the first things to do. */
function head(project: ProjectReport, incidents: readonly Wrong[], link: AddressOf): Html {
  const { crawl_config_name, end_reason, ended_at, previous_ended_at, scope_note, trend } = project;
  const { better, worse } = verdictOf(project);
  const { project_id, crawl_id: crawl } = project;
  const address = link({ to: 'project', project_id });
  const name = nameOf(project);
  const since = previous_ended_at === null ? null : ` since ${day(previous_ended_at)}`;
  const first = firstThingsBlocks(firstCauses(firstThingsOf(project.findings)).slice(0, MOST_FIRST), name, {
    project_id,
    parts: { crawl },
  });
  return html`<h2>${address === null ? name : html`<a href="${address}">${name}</a>`}</h2>
<p class="facts">${crawl_config_name === null ? null : `${crawl_config_name}, `}crawl of ${day(ended_at)}${end_reason === null ? null : `, ended: ${end_reason}`}.
${previous_ended_at === null ? 'There is no previous crawl to compare with.' : changed(trend)}</p>
${scope_note && html`<p class="facts"><strong>${scope_note}</strong></p>`}
${incidents.map(({ title, details }) => html`<p class="wrong"><strong>${title}.</strong> ${details.join(' ')}</p>\n`)}
${
  better === null
    ? null
    : html`<div class="verdict"><p><strong>Worse${since}:</strong> ${worse}</p>
<p><strong>Better${since}:</strong> ${better}</p></div>`
}
<h3>What to do first</h3>
${printHtml([first.table, ...first.notes], link)}`;
}

function issuesOf(project: ProjectReport, link: AddressOf): Html {
  const { issues } = project;
  if (issues.length === 0) return html`<h3>Issues</h3><p>Nothing was found.</p>`;
  const shown = issueTable(project, issues.slice(0, MOST_ISSUES), link);
  const others = issues.slice(MOST_ISSUES);
  return html`<h3>Issues</h3>
${shown}
${others.length === 0 ? null : html`<details class="all"><summary>${counted(others.length, 'more issue')}</summary>${issueTable(project, others, link)}</details>`}`;
}

function issueTable(project: ProjectReport, issues: readonly ReportIssue[], link: AddressOf): Html {
  const { project_id, crawl_id: crawl, findings } = project;
  const behind = new Map(firstThingsOf(findings).map((thing) => [thing.issue, thing]));
  const linked = ({ issue }: ReportIssue, text: string, change?: 'new' | 'fixed' | 'missing'): Html => {
    const address = link({ to: 'pages', project_id, parts: { crawl, issue, change } });
    return address === null ? html`${text}` : html`<a href="${address}">${text}</a>`;
  };
  const count = (name: string, of: 'pages' | 'new' | 'fixed' | 'missing') => ({
    name,
    isNumber: true,
    cell: (one: ReportIssue) =>
      one[of] ? linked(one, countText(one[of]), of === 'pages' ? undefined : of) : numberText(one[of]),
  });
  // The days of both figures are below the first things to do.
  const traffic = (name: string, of: 'clicks' | 'search_bot_hits') => ({
    name,
    isNumber: true,
    cell: ({ issue }: ReportIssue) => numberText(behind.get(issue)?.[of]),
  });
  return table(
    `Issues of ${nameOf(project)}`,
    [
      {
        name: 'Issue',
        cell: (one) => html`<div class="prose">${linked(one, one.title)}
<p>${one.why_it_matters} <strong>To do:</strong> ${one.fix}.</p></div>`,
      },
      { name: 'Severity', cell: ({ severity }) => severityMark(severity) },
      count('Pages', 'pages'),
      {
        name: 'Last crawls',
        cell: ({ title, trend }) => sparkline(trend, `Pages with ${title} in the last crawls`, true) ?? '',
      },
      count('New', 'new'),
      count('Fixed', 'fixed'),
      ...(project.issues.some(({ missing }) => Number(missing) > 0) ? [count('Missing', 'missing')] : []),
      traffic('Clicks', 'clicks'),
      traffic('Bot hits', 'search_bot_hits'),
      {
        name: 'Example',
        cell: ({ issue }) => html`<div class="example">${behind.get(issue)?.example ?? '–'}</div>`,
      },
    ],
    issues,
    '',
  );
}

function charts(project: ProjectReport, notes: readonly Note[], link: AddressOf): Html {
  const { project_id, trend, statusTrend, funnel } = project;
  const name = nameOf(project);
  const statuses = statusTrend.map((point) => ({
    ...point,
    href: link({
      to: 'pages',
      project_id,
      parts: {
        crawl: point.crawl_id,
        status_code_range: point.status_code_range === null ? 'is:null' : `eq:${point.status_code_range}`,
      },
    }),
  }));
  const changes = project.changes.map((row): AnswerRows[number] => ({
    ...row,
    change: columnName(String(row.change)),
  }));
  const kinds = changes.map(({ change, pages }) => ({ name: String(change), value: Number(pages) }));
  return html`<div class="charts">
${figure('Pages', lineChart(`Pages of ${name}`, trend, PAGES, notes), { rows: trend, question: QUESTIONS.trend })}
${figure('Pages by status', statusChart(`Pages by status of ${name}`, statuses, notes), { rows: statusTrend, question: QUESTIONS.statuses })}
${figure('Indexability', indexabilityFunnel(`Indexability of ${name}`, funnel[0]), { rows: funnel, question: QUESTIONS.funnel })}
${figure('Changes since the previous crawl', barChart(`Changes of ${name}`, kinds), { rows: changes, question: QUESTIONS.changes })}
${figure('Average load time (ms)', lineChart(`Average load time of ${name}`, trend, SPEED, notes), { rows: trend, question: QUESTIONS.trend })}
</div>
${notes.length === 0 ? null : html`<ul class="notes">${notes.map(({ date, kind, text }) => html`<li>${date} ${kind}: ${text}</li>\n`)}</ul>`}`;
}

function figure(
  title: string,
  chart: Html | null,
  { rows, question }: { readonly rows: readonly object[]; readonly question: string },
): Html {
  if (chart === null)
    return html`<figure><figcaption>${title}</figcaption><p>There are no figures.</p></figure>`;
  return html`<figure><figcaption>${title}</figcaption>${chart}
<details><summary>The figures</summary>${rowsTable(title, rows as AnswerRows, shown, 'There are no figures.')}
<p class="facts"><code>crawlhouse query --question ${question}</code></p></details></figure>
`;
}

function shown(name: string, value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (name === 'ended_at') return day(String(value));
  if (name === 'status_code') return String(value);
  return isNumeric(value) ? numberText(value as number) : wordsIn(value);
}

function numberText(value: number | bigint | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return Number.isInteger(Number(value)) ? countText(Number(value)) : figureText(Number(value), 1);
}

/** Returns how the pages changed since the previous crawl. */
function changed(trend: readonly TrendPoint[]): string {
  const [before, now] = trend.slice(-2);
  if (before?.pages == null || now?.pages == null) return '';
  const difference = now.pages - before.pages;
  const pages = `${countText(now.pages)} ${now.pages === 1 ? 'page' : 'pages'}`;
  if (difference === 0) return `${pages}, as many as on ${day(before.ended_at)}.`;
  const words = difference > 0 ? 'more' : 'fewer';
  return `${pages}, ${countText(Math.abs(difference))} ${words} than on ${day(before.ended_at)}.`;
}

/** Makes internal names such as `client_error` readable; other texts stay unchanged. */
function wordsIn(value: unknown): string {
  const text = String(value);
  return /^[a-z]+(_[a-z0-9]+)+$/.test(text) ? text.replaceAll('_', ' ') : text;
}

function nameOf({ project_name, project_id }: ProjectReport): string {
  return project_name ?? project_id;
}

function day(at: string | null): string {
  return at === null ? '–' : at.slice(0, 10);
}

function minute(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ');
}
