import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { barChart, indexabilityFunnel } from '../src/app/answers/presentation/charts/bars.ts';
import { lineChart, statusChart } from '../src/app/answers/presentation/charts/charts.ts';
import { SERIES_COLOURS } from '../src/app/answers/presentation/charts/palette.ts';
import { table } from '../src/app/answers/presentation/html-table.ts';
import { severityMark, statusMark } from '../src/app/answers/presentation/marks.ts';
import { PAGE_STYLE } from '../src/app/answers/presentation/page-style.ts';
import { type FirstThing, firstThingsBlocks } from '../src/app/answers/report/first-things.ts';
import { drawBlocks } from '../src/app/console/layout/addresses.ts';
import { filterForm } from '../src/app/console/layout/filter-form.ts';
import { drawPaging } from '../src/app/console/layout/paging.ts';
import { projectTabs } from '../src/app/console/layout/project-tabs.ts';
import { shellEnd, shellStart } from '../src/app/console/layout/shell.ts';
import { answerFigure, type FigureAnswer } from '../src/app/console/page-parts/answer-figure.ts';
import { drawKpis, type Kpi } from '../src/app/console/page-parts/kpi.ts';
import { incidentCard } from '../src/app/console/pages/project/project-page.ts';
import { type Html, html } from '../src/core/text/html.ts';

// Every block of the console on one page, for those who change how it looks: npm run build && npm run styleguide

const ASSETS = join(import.meta.dirname, '..', 'dist', 'app', 'console', 'assets');
const ADDRESS = { host: '127.0.0.1', port: 8097 };

const answer: FigureAnswer = {
  question: 'q21_kpi_trend',
  sql: 'SELECT 1',
  command: 'crawlhouse query --question q21',
  address: '#',
  ignored: [],
  state: 'read',
  rows: [{ crawl_id: 'c', pages: 1234 }],
  why: null,
  error: null,
};

const kpi: Kpi = { name: 'Indexable', value: 1050, change: -41, reason: null, better: 'more' };
const KPIS: readonly Kpi[] = [
  { ...kpi, href: '#', days: 'since 2026-11-20', trend: [1100, 1120, 1091, 1050] },
  { ...kpi, name: 'Errors', value: 31, change: 30, better: 'less', href: '#', trend: [1, 1, 0, 31] },
  { ...kpi, name: 'New findings', value: 43, change: null, reason: '273 fixed', better: null },
  { ...kpi, name: 'Clicks', value: 12_341, change: 120, days: '2026-10-29 to 2026-11-25' },
  {
    ...kpi,
    name: 'Search bot hits',
    value: null,
    change: null,
    reason: 'unknown: no log files for its days',
  },
];

const first: FirstThing = {
  issue: 'client_error',
  title: 'Client error (4xx)',
  severity: 'high',
  owner: 'server',
  fix: 'Make the page answer with status 200 or redirect it',
  priority: 70,
  pages: 26,
  new_pages: 20,

  clicks: 410,
  new_clicks: 400,
  previous_crawl_id: 'c1',
  search_bot_hits: null,
  example: 'https://shop.example/lamps/red',
  within: null,

  ranking_from_date: '2026-10-29',
  ranking_to_date: '2026-11-25',
  log_from_date: null,
  log_to_date: null,
};
const FIRST: readonly FirstThing[] = [
  first,
  { ...first, title: 'Duplicate title', severity: 'medium', owner: 'content', priority: 36, new_pages: 0 },
  {
    ...first,
    title: 'No structured data',
    severity: 'low',
    owner: 'template',
    new_pages: null,
    priority: 12,
  },
];

const CRAWLS = [3, 10, 17, 24].map((day, place) => ({
  crawl_id: `c${day}`,
  ended_at: `2026-11-${String(day).padStart(2, '0')}T06:00:00Z`,
  pages: 1100 + 40 * place,
  errors: place ** 3,
}));
const LINES = (['pages', 'errors'] as const).map((name) => ({
  name,
  value: (crawl: (typeof CRAWLS)[number]) => crawl[name],
}));
const STATUSES = CRAWLS.flatMap(({ pages, errors, ...crawl }) => [
  { ...crawl, status_code_range: 'ok', pages },
  { ...crawl, status_code_range: 'client_error', pages: errors },
]);
const FUNNEL = { known: 1234, fetched: 1200, answered_200: 1100, indexable: 1050, canonical: 900 };
const BARS = [
  { name: 'title', value: 120, href: '#' },
  { name: 'status code', value: 41, href: null },
];
const NAMED = PAGE_STYLE.matchAll(/--([\w-]+): ([^;]+);/g).toArray();

const COLOURS = html`${table(
  'Names of colours and sizes',
  [
    { name: 'name', cell: ([, name]) => html`<code>--${name}</code>` },
    { name: 'light, dark', cell: ([, , value]) => value },
  ],
  NAMED,
  '',
)}
<p>${SERIES_COLOURS.map((colour) => html`<svg width="60" height="24" role="img" aria-label="${colour}"><rect width="60" height="24" fill="${colour}"/></svg> `)}</p>`;

const BLOCKS: readonly (readonly [string, Html | null])[] = [
  ['Colours and sizes', COLOURS],
  [
    'Letters',
    html`<h1>Heading of a page</h1><h3>Heading of a part</h3><p>Text with a <a href="#">link</a> and <code>code</code>.</p><p class="facts">Facts beside it.</p>`,
  ],
  ['Tabs', projectTabs('p1', 'overview')],
  [
    'Choices',
    filterForm('#', new URLSearchParams(), [
      { name: 'segment', label: 'segment', options: ['/blog/', '/shop/'] },
    ]),
  ],
  [
    'Buttons',
    html`<p><button>Show</button> <button class="main">Run</button> <button class="main danger">Drop</button></p>`,
  ],
  [
    'Marks',
    html`<p>${['high', 'medium', 'low'].map((one) => html`${severityMark(one)} `)}${['done', 'partial', 'running'].map((one) => html`${statusMark(one)} `)}</p>`,
  ],
  ['Strip', drawKpis(KPIS, true)],
  ['Figures beside each other', drawKpis(KPIS)],
  [
    'What to do first',
    drawBlocks(Object.values(firstThingsBlocks(FIRST, 'Shop', { project_id: 'shop', parts: {} })).flat()),
  ],
  [
    'Cards',
    html`<div class="charts">
${answerFigure('Lines', answer, { chart: lineChart('Pages of Shop', CRAWLS, LINES) })}
${answerFigure('Statuses', answer, { chart: statusChart('Statuses of Shop', STATUSES) })}
${answerFigure('Funnel', answer, { chart: indexabilityFunnel('Indexability of Shop', FUNNEL) })}
${answerFigure('Bars', answer, { chart: barChart('Changes of Shop', BARS) })}
${answerFigure('Pending', { ...answer, state: 'pending' })}
${answerFigure('Failed', { ...answer, state: 'failed', error: 'no table mart.pages' })}
${answerFigure('Empty', { ...answer, rows: [], why: 'The question needs log files; the project has none.' })}
</div>`,
  ],
  [
    'Table',
    table(
      'Crawls',
      [
        { name: 'crawl', cell: ({ crawl_id }) => crawl_id },
        { name: 'pages', isNumber: true, cell: ({ pages }) => pages },
      ],
      CRAWLS,
      '',
    ),
  ],
  ['Nothing in a table', table('Crawls', [], [], 'No crawl is loaded.')],
  ['Paging', drawPaging({ page: 2, pages: 5, total: 120 }, { path: '#', query: new URLSearchParams() })],
  [
    'Notices',
    html`<p class="notice">The charts leave out Crawl 3.</p><p class="well">No incident is open.</p>`,
  ],
  [
    'Incident',
    incidentCard({ title: 'A crawl failed', began: null, details: ['503'], hint: 'crawlhouse run' }),
  ],
];

/** The page with every block, each under its name. */
export function stylePage(): string {
  const shell = { path: '/styleguide', subject: 'ada', csrf: '', canAct: false };
  const body = BLOCKS.map(([name, block]) => html`<section><h2>${name}</h2>${block}</section>\n`.text).join(
    '',
  );
  return `${shellStart(shell, 'Style guide')}<h1>Style guide</h1>\n${body}${shellEnd()}`;
}

if (import.meta.main) {
  const server = createServer((request, response) => {
    const isStyle = request.url === '/assets/console.css';
    if (!isStyle && request.url !== '/styleguide') return response.writeHead(404).end();
    response.setHeader('content-type', isStyle ? 'text/css' : 'text/html; charset=utf-8');
    return response.end(isStyle ? readFileSync(join(ASSETS, 'console.css')) : stylePage());
  });
  server.listen(ADDRESS, () => console.log(`http://${ADDRESS.host}:${ADDRESS.port}/styleguide`));
}
