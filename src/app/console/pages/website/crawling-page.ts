import { z } from 'zod';
import { counted } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { table } from '../../../answers/presentation/html-table.ts';
import { timeText } from '../../../answers/presentation/marks.ts';
import { LiveCrawl, readLiveCrawl } from '../../../operations/status/live-crawl.ts';
import { crawlPath, projectPath } from '../../layout/addresses.ts';
import { csrfField } from '../../layout/shell.ts';
import { type PageRequest, page } from '../../page-parts/console-page.ts';
import { drawKpis } from '../../page-parts/kpi.ts';

const STATUSES: Readonly<Record<string, string>> = {
  fetched_2xx: '2xx',
  fetched_3xx: '3xx',
  fetched_4xx: '4xx',
  fetched_5xx: '5xx',
  unfetched_exception: 'No answer',
  unfetched_robots_denied: 'Blocked by robots.txt',
};

const Crawling = z.strictObject({
  /** The last crawl of the project folder, unless another one is starting. */
  crawl: LiveCrawl.nullable(),
  /** Whether this console has started a crawl that has not begun. */
  is_starting: z.boolean(),
  /** Whether this console runs the crawl, and can pause it. */
  is_own: z.boolean(),
  is_pausing: z.boolean(),
  /** Why the crawl is paused or failed, or did not begin. */
  problem: z.string().nullable(),
});
type Crawling = Typed<typeof Crawling>;

export const CRAWLING = page<Crawling>({
  path: '/crawling',
  summary: 'The progress of the last crawl that was started in the project folder.',
  schema: Crawling,
  async read({ actions }, { settings }) {
    const crawl = readLiveCrawl(settings);
    const going = actions.crawl;
    const is_own = going !== null && crawl?.pid === going.pid;
    return {
      crawl: going === null || is_own ? crawl : null,
      is_starting: going !== null && !is_own,
      is_own,
      is_pausing: is_own && going.isPausing,
      problem: going === null ? (crawl?.problem ?? actions.lateProblem) : null,
    };
  },
  draw(crawling, request) {
    const { crawl, is_starting, problem } = crawling;
    const title = crawl === null ? 'Crawl' : `Crawl of ${crawl.start_url}`;
    const isLive = is_starting || crawl?.state === 'running';
    return {
      title,
      body: html`<h1>${title}</h1>
${is_starting ? html`<p>The crawl is starting.</p>` : null}
${crawl === null ? null : html`<p>${stateText(crawling, crawl)}</p>`}
${crawl === null && !is_starting ? html`<p class="empty">No crawl was started here.</p>` : null}
${problem === null ? null : html`<p class="notice">${problem}</p>`}
${request.canAct ? buttons(crawling, request) : null}
${crawl === null ? null : drawProgress(crawl)}
${isLive ? html`<div data-pending></div><noscript><p class="facts">Reload the page to see the progress.</p></noscript>` : null}`,
    };
  },
});

function stateText(
  { is_own, is_pausing, problem }: Crawling,
  { state, phase, pid, progress }: LiveCrawl,
): string {
  if (is_pausing) return 'The crawl is pausing.';
  if (state === 'paused') return 'The crawl is paused.';
  if (state === 'failed') return 'The crawl ended without a report.';
  if (state === 'ended')
    return `The crawl has ended, ${problem === null ? 'and its data is loaded' : 'but not all of its data is loaded'}.`;
  const elsewhere = is_own ? '' : ` Process ${pid} runs it: to pause it, press Ctrl-C there.`;
  const work = (progress?.work ?? []).map((one) => `: ${one}`).join('');
  const doing = {
    fetch: `The crawl is fetching pages${work}.`,
    analysis: `The pages are fetched. The analysis is running${work}.`,
    load: 'The analysis is done. The data is being loaded.',
  };
  return doing[phase] + elsewhere;
}

/** Returns the forms that fit the state, and the links to the result. */
function buttons({ crawl, is_own, is_pausing, is_starting }: Crawling, { session }: PageRequest): Html {
  const button = (change: string, label: string, isMain = false): Html =>
    html`<form method="post" action="/crawling/${change}">${csrfField(session.csrf)}<button type="submit" id="${change}"${isMain ? html` class="main"` : null}>${label}</button></form>`;
  const isRunning = is_own && !is_pausing && crawl?.state === 'running';
  const isPaused = crawl?.state === 'paused';
  const canStop = (isRunning || isPaused) && crawl?.phase === 'fetch';
  const isOver = crawl === null ? !is_starting : ['ended', 'failed'].includes(crawl.state);
  const again = html`<a class="button" href="/start${crawl === null ? '' : `?url=${encodeURIComponent(crawl.start_url)}`}">${crawl === null ? 'Crawl a website' : 'Crawl again'}</a>`;
  return html`<div class="paging">
${isRunning ? button('pause', 'Pause') : null}
${isPaused ? button('resume', 'Resume', true) : null}
${canStop ? button('stop', 'Stop, and load what was fetched') : null}
${
  crawl?.state === 'ended'
    ? html`<a class="button" href="${projectPath(crawl.project_id)}">Project</a>
<a class="button" href="${projectPath(crawl.project_id)}/report?crawl=${encodeURIComponent(crawl.crawl_id)}">Report</a>
<a class="button" href="${crawlPath(crawl.crawl_id)}">Crawl</a>`
    : null
}
${isOver ? again : null}
</div>`;
}

function drawProgress({ started_at, progress, state }: LiveCrawl): Html {
  const began = html`<p class="facts">Began ${timeText(started_at)} UTC</p>`;
  if (progress === null) return began;
  const { pages, left, depth, urls_per_second, statuses, findings } = progress;
  const kpi = (name: string, value: number) => ({ name, value, change: null, reason: null, better: null });
  return html`${began}
${drawKpis([
  kpi('Pages', pages),
  kpi('URLs left', left),
  kpi('Depth', depth),
  ...(state === 'running' ? [kpi('URLs per second', Math.round(urls_per_second * 10) / 10)] : []),
])}
<div class="pair"><section aria-labelledby="statuses"><h2 id="statuses">Statuses</h2>
${table(
  'Statuses',
  [
    { name: 'status', cell: ({ status }) => lookUp(STATUSES, status) },
    { name: 'URLs', isNumber: true, cell: ({ urls }) => urls },
  ],
  statuses,
  'No URL is answered yet.',
)}</section>
<section aria-labelledby="findings"><h2 id="findings">First findings</h2>
${table(
  'First findings',
  [
    { name: 'issue', cell: ({ issue }) => issue.replaceAll('_', ' ') },
    { name: 'pages', isNumber: true, cell: (one) => one.pages },
  ],
  findings,
  `None in ${counted(pages, 'page')} yet. Most issues appear after the analysis.`,
)}</section></div>`;
}
