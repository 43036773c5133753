import { countText } from '../../core/amounts.ts';
import { type Html, html } from '../../core/html.ts';
import { indexabilityFunnel } from './bars.ts';
import { lineChart, type Series, statusChart } from './charts.ts';
import { QUESTIONS, type Rows } from './crawl-answers.ts';
import type { ProjectReport, TrendPoint } from './read-site-report.ts';
import { REPORT_STYLE } from './report-style.ts';

const PAGES: readonly Series<TrendPoint>[] = [
  { name: 'all', value: ({ pages }) => pages },
  { name: 'indexable', value: ({ indexable_pages }) => indexable_pages },
  { name: 'errors', value: ({ error_pages }) => error_pages },
];
const SPEED: readonly Series<TrendPoint>[] = [
  { name: 'average load time', value: ({ average_load_time }) => average_load_time },
];

/** The present problems of a project. Its figures are then of the crawl before. */
interface Wrong {
  readonly project_id: string | null;
  readonly title: string;
  readonly details: readonly string[];
}

/** The report as one HTML file: no script, and nothing from elsewhere. */
export function reportPage(
  projects: readonly ProjectReport[],
  at: Date,
  incidents: readonly Wrong[] = [],
): string {
  const several = projects.length > 1;
  const [only] = projects;
  const title = only && !several ? nameOf(only) : `${countText(projects.length)} projects`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}: crawl report</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<h1>Crawl report: ${title}</h1>
<p class="facts">Made ${minute(at)} UTC by crawlhouse. Days are in UTC.</p>
${projects.length === 0 ? html`<p>No project has a loaded crawl yet. Run <code>crawlhouse run</code> first.</p>` : null}
${several ? overview(projects) : null}
${projects.map((project, index) =>
  section(
    project,
    index,
    incidents.filter(({ project_id }) => project_id === project.project_id),
  ),
)}
</main>
</body>
</html>
`;
  return page.text;
}

function overview(projects: readonly ProjectReport[]): Html {
  const rows = projects.map((project, index) => {
    const now = project.trend.at(-1);
    const high = project.findings.filter(({ severity }) => severity === 'high');
    return html`<tr><th scope="row"><a href="#p${index}">${nameOf(project)}</a></th><td>${day(project.ended_at)}</td>
<td class="number">${numberText(now?.pages)}</td><td class="number">${numberText(now?.indexable_pages)}</td>
<td class="number">${numberText(now?.error_pages)}</td><td class="number">${countText(sum(high, 'pages'))}</td></tr>
`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Projects"><table>
<thead><tr><th scope="col">project</th><th scope="col">last crawl</th><th scope="col" class="number">pages</th>
<th scope="col" class="number">indexable</th><th scope="col" class="number">errors</th>
<th scope="col" class="number">severe findings</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function section(project: ProjectReport, index: number, incidents: readonly Wrong[]): Html {
  const { trend, statusTrend, funnel, changes, findings, crawl_config_name, end_reason } = project;
  const before = project.previous_crawl_id === null ? 'no crawl before it' : changed(trend);
  return html`<section id="p${index}">
<h2>${nameOf(project)}</h2>
<p class="facts">${crawl_config_name}, crawl ${project.crawl_id} of ${day(project.ended_at)}${end_reason === null ? null : `, ended: ${end_reason}`}. ${before}</p>
${incidents.map(({ title, details }) => html`<p class="wrong"><strong>${title}.</strong> ${details.join(' ')}</p>\n`)}
<h3>What to do first</h3>
${findings.length === 0 ? html`<p>Nothing was found.</p>` : table(findings, 'What to do first')}
<h3>Changes since the crawl before</h3>
${changes.length === 0 ? html`<p>No change, or no crawl before.</p>` : table(changes, 'Changes since the crawl before')}
<div class="charts">
${figure('Indexability', indexabilityFunnel(`Indexability of ${nameOf(project)}`, funnel[0]), { rows: funnel, question: QUESTIONS.funnel })}
${figure('Pages by status', statusChart(`Pages by status of ${nameOf(project)}`, statusTrend), { rows: statusTrend, question: QUESTIONS.statuses })}
${figure('Pages', lineChart(`Pages of ${nameOf(project)}`, trend, PAGES), { rows: trend, question: QUESTIONS.trend })}
${figure('Average load time (ms)', lineChart(`Average load time of ${nameOf(project)}`, trend, SPEED), { rows: trend, question: QUESTIONS.trend })}
</div>
</section>
`;
}

function figure(
  title: string,
  chart: Html | null,
  { rows, question }: { readonly rows: readonly object[]; readonly question: string },
): Html {
  if (chart === null)
    return html`<figure><figcaption>${title}</figcaption><p>There are no figures.</p></figure>`;
  return html`<figure><figcaption>${title}</figcaption>${chart}
<details><summary>The figures</summary>${table(rows as Rows, title)}
<p class="facts"><code>crawlhouse query --question ${question}</code></p></details></figure>
`;
}

/** The rows with the names of their columns; identifiers of crawls are left out. */
function table(rows: Rows, label: string): Html {
  const [first] = rows;
  if (first === undefined) return html`<p>There are no figures.</p>`;
  const names = Object.keys(first).filter((name) => name !== 'crawl_id' && name !== 'main_id');
  const numeric = new Set(names.filter((name) => rows.every((row) => isNumber(row[name]))));
  const cell = (name: string, value: unknown): Html =>
    html`<td${numeric.has(name) ? html` class="number"` : null}>${shown(name, value)}</td>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${names.map((name) => html`<th scope="col"${numeric.has(name) ? html` class="number"` : null}>${name.replaceAll('_', ' ')}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${names.map((name) => cell(name, row[name]))}</tr>\n`)}</tbody></table></div>`;
}

function isNumber(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'bigint';
}

function shown(name: string, value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (name === 'ended_at') return day(String(value));
  if (name === 'status_code') return String(value);
  return isNumber(value) ? numberText(value as number) : String(value);
}

function numberText(value: number | bigint | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return Number.isInteger(Number(value)) ? countText(Number(value)) : Number(value).toFixed(1);
}

/** How the pages changed since the crawl before. */
function changed(trend: readonly TrendPoint[]): string {
  const [before, now] = trend.slice(-2);
  if (before?.pages == null || now?.pages == null) return '';
  const difference = now.pages - before.pages;
  const pages = `${countText(now.pages)} ${now.pages === 1 ? 'page' : 'pages'}`;
  if (difference === 0) return `${pages}, as many as on ${day(before.ended_at)}.`;
  const words = difference > 0 ? 'more' : 'fewer';
  return `${pages}, ${countText(Math.abs(difference))} ${words} than on ${day(before.ended_at)}.`;
}

function sum(rows: Rows, name: string): number {
  return rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
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
