import { barChart } from '../../../answers/report/bars.ts';
import { type ChartNote, lineChart, stackedChart } from '../../../answers/report/charts.ts';
import { coloursOf } from '../../../answers/report/palette.ts';
import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { urlLink } from '../layout/addresses.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { table } from '../layout/table.ts';
import { answerFigure, drawPending, type FigureAnswer, shownValue, signedValue } from './answer-figure.ts';
import type { Demand } from './demand-document.ts';

export function drawDemand(demand: Demand): Html {
  const { project_id, hits, wasted, visited, engines, ai, clicks, segments, losses, fresh } = demand;
  const name = demand.project_name ?? project_id;
  return html`<h1>${name}</h1>
${projectTabs(project_id, 'demand', demand.has_pages)}
<p class="facts">Log files: ${daysText(demand, 'logs')}.
Search results: ${daysText(demand, 'search')}.</p>
${drawPending([hits, wasted, visited, engines, ai, clicks, segments, losses, fresh])}
<h2>What bots ask for</h2>
<div class="charts">
${hitsFigure(name, hits, demand.notes.list)}
${wastedFigure(name, wasted)}
${answerFigure('Hits of search engines on pages of the crawl, by segment', visited, { chart: bars(`Hits of search engines on pages of ${name}`, visited, 'segment', 'search_bot_hits') })}
${answerFigure('Search engines', engines)}
${answerFigure('Crawlers of AI services', ai, { empty: 'None came.' })}
</div>
<h2>What people find</h2>
<div class="charts">
${clicksFigure(name, clicks, demand.notes.list)}
${answerFigure('Clicks by segment', segments, { rows: segmentsTable(segments) })}
${answerFigure('Pages that lost the most clicks in 28 days', losses, {
  rows: lossesTable(project_id, losses),
  empty: 'No page has lost many clicks.',
})}
${answerFigure('New pages that bots asked for, and that search results showed', fresh, {
  empty: 'It needs a new page in a later crawl, and log files or search results.',
})}
</div>
`;
}

/** What is loaded, and the days of it that the figures below add up. */
function daysText(demand: Demand, kind: Demand['spans'][number]['kind']): string {
  const { log_days, last_log_day, ranking_days, last_ranking_day, spans } = demand;
  const [days, last] = kind === 'logs' ? [log_days, last_log_day] : [ranking_days, last_ranking_day];
  const span = spans.find((one) => one.kind === kind);
  const loaded = last === null ? null : `${countText(days)} days, the last one is ${last}`;
  if (span === undefined) return loaded === null ? 'none are loaded' : `${loaded}; none belongs to the crawl`;
  const dates = `${span.from_date} to ${span.to_date}`;
  return loaded === null ? `totals of ${dates}` : `${loaded}; figures add up ${dates}`;
}

interface Day {
  readonly day: string;
  readonly [figure: string]: unknown;
}

function hitsFigure(project: string, answer: FigureAnswer, notes: readonly ChartNote[]): Html {
  const families = [...new Set(answer.rows.map(({ family }) => String(family)))];
  const colours = coloursOf(families);
  const entries = families.map((name, index) => ({ name, colour: colours[index] ?? '' }));
  const parts = (answer.rows as unknown as Day[]).map(({ day, family, hits }) => ({
    ...{ ended_at: `${day}T00:00:00Z`, crawl_id: '' },
    ...{ name: String(family), value: Number(hits) },
  }));
  return answerFigure('Hits of bots by day', answer, {
    chart: stackedChart(`Hits of bots of ${project}`, parts, entries, notes),
  });
}

function wastedFigure(project: string, answer: FigureAnswer): Html {
  const [first] = answer.rows;
  const total = answer.rows.reduce((sum, { hits }) => sum + Number(hits), 0);
  const named = answer.rows.map((row) => {
    const share = total === 0 ? 0 : Math.round((1000 * Number(row.hits)) / total) / 10;
    const name = row.waste === 'none' ? 'no waste' : String(row.waste).replaceAll('_', ' ');
    return { ...row, waste: `${name}, ${share} %` };
  });
  const span = first === undefined ? '' : `, ${first.from_date} to ${first.to_date}`;
  return answerFigure(`Crawl budget: what search engines asked for${span}`, answer, {
    chart: bars(`Crawl budget of ${project}`, { ...answer, rows: named }, 'waste', 'hits'),
  });
}

function clicksFigure(project: string, answer: FigureAnswer, notes: readonly ChartNote[]): Html {
  const points = (answer.rows as unknown as Day[]).map((row) => ({
    ...row,
    ended_at: `${row.day}T00:00:00Z`,
  }));
  const series = ['clicks', 'impressions'].map((name) => ({
    name,
    value: (point: Day): number => Number(point[name]),
  }));
  return answerFigure('Clicks and impressions by day', answer, {
    chart: lineChart(`Clicks and impressions of ${project}`, points, series, notes),
  });
}

function bars(label: string, { rows }: FigureAnswer, name: string, value: string): Html | null {
  return barChart(
    label,
    rows.map((row) => ({
      name: String(row[name] ?? 'none'),
      value: row[value] === null ? null : Number(row[value]),
    })),
  );
}

function segmentsTable({ rows }: FigureAnswer): Html {
  return table(
    'Clicks by segment',
    [
      { name: 'segment', cell: ({ segment }) => String(segment) },
      { name: 'clicks', isNumber: true, cell: ({ clicks }) => shownValue(clicks) },
      {
        name: 'change',
        isNumber: true,
        cell: (row) => signedValue(row.clicks_change) ?? shownValue(row.clicks_change_reason),
      },
      { name: 'impressions', isNumber: true, cell: ({ impressions }) => shownValue(impressions) },
      { name: 'change', isNumber: true, cell: (row) => signedValue(row.impressions_change) },
    ],
    rows,
    '',
  );
}

function lossesTable(project: string, { rows }: FigureAnswer): Html {
  return table(
    'Pages that lost the most clicks',
    [
      { name: 'page', cell: ({ url }) => urlLink(project, String(url)) },
      { name: 'clicks', isNumber: true, cell: ({ clicks }) => shownValue(clicks) },
      { name: 'before', isNumber: true, cell: (row) => shownValue(row.clicks_before) },
      { name: 'change', isNumber: true, cell: (row) => `${shownValue(row.clicks_change_percent)} %` },
      {
        name: 'what crawls saw change',
        cell: ({ changes }) =>
          (changes as readonly string[]).map((one) => one.replaceAll('_', ' ')).join(', ') || 'nothing',
      },
    ],
    rows,
    '',
  );
}
