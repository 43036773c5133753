import { barChart, indexabilityFunnel } from '../../../answers/report/bars.ts';
import { lineChart, type Series, stackedChart, statusChart } from '../../../answers/report/charts.ts';
import { coloursOf } from '../../../answers/report/palette.ts';
import { type Html, html } from '../../../core/html.ts';
import { severityMark } from '../layout/severity-mark.ts';
import { table } from '../layout/table.ts';
import { answerFigure, type FigureAnswer, shownValue } from './answer-figure.ts';

/** A project with the answers that are drawn. */
interface ProjectFigures {
  readonly project_id: string;
  readonly project_name: string | null;
  readonly trend: FigureAnswer;
  readonly statuses: FigureAnswer;
  readonly changes: FigureAnswer;
  readonly funnel: FigureAnswer;
  readonly depths: FigureAnswer;
  readonly findings: FigureAnswer;
}

interface Point {
  readonly crawl_id: string;
  readonly ended_at: string;
  readonly [figure: string]: unknown;
}

const CHANGES = ['added', 'removed', 'status', 'title', 'canonical', 'h1'];

/** The charts of a project, each with its table and its question; last, what to do first. */
export function projectFigures(project: ProjectFigures): Html {
  const { trend, statuses, changes, funnel, depths, findings } = project;
  const name = project.project_name ?? project.project_id;
  return html`<div class="charts">
${lines('Pages', name, trend, { all: 'pages', indexable: 'indexable_pages', errors: 'error_pages' })}
${answerFigure('Pages by status', statuses, {
  chart: statusChart(
    `Pages by status of ${name}`,
    points(statuses) as unknown as Parameters<typeof statusChart>[1],
  ),
  empty: 'Status codes are not known for this choice.',
})}
${answerFigure('Indexability funnel', funnel, {
  chart: indexabilityFunnel(`Indexability funnel of ${name}`, points(funnel).at(-1)),
})}
${changesFigure(name, changes)}
${lines('Average depth', name, trend, { 'average depth': 'average_depth' })}
${lines('Average load time (ms)', name, trend, { 'average load time': 'average_load_time' })}
${depthFigure('Pages by depth', name, depths, 'pages')}
${depthFigure('Average inrank by depth', name, depths, 'average_inrank')}
</div>
<h2>What to do first</h2>
${answerFigure('Issues of the last crawl, the most severe first', findings, {
  rows: findingsTable(findings),
  empty: 'Nothing was found.',
})}
`;
}

/** Crawls whose end is known. */
function points({ rows }: FigureAnswer): Point[] {
  return (rows as unknown as Point[]).filter(({ ended_at }) => ended_at !== null);
}

function lines(
  title: string,
  project: string,
  answer: FigureAnswer,
  figures: Readonly<Record<string, string>>,
): Html {
  const series = Object.entries(figures).map(
    ([name, figure]): Series<Point> => ({
      name,
      value: (point) => (point[figure] === null ? null : Number(point[figure])),
    }),
  );
  return answerFigure(title, answer, {
    chart: lineChart(`${title} of ${project}`, points(answer), series),
  });
}

function changesFigure(project: string, changes: FigureAnswer): Html {
  const known = [...new Set([...CHANGES, ...changes.rows.map(({ change }) => String(change))])];
  const used = known.filter((name) => changes.rows.some(({ change }) => change === name));
  const colours = coloursOf(used);
  const entries = used.map((name, index) => ({ name, colour: colours[index] ?? '' }));
  const parts = points(changes).map(({ crawl_id, ended_at, change, pages }) => ({
    crawl_id,
    ended_at,
    name: String(change),
    value: Number(pages),
  }));
  return answerFigure('Changes since the crawl before', changes, {
    chart: stackedChart(`Changes between the crawls of ${project}`, parts, entries),
    empty: 'No change, or no crawl before.',
  });
}

function depthFigure(title: string, project: string, answer: FigureAnswer, figure: string): Html {
  const bars = answer.rows.map((row) => ({
    name: row.depth === null ? 'none' : String(row.depth),
    value: row[figure] === null ? null : Number(row[figure]),
  }));
  return answerFigure(title, answer, { chart: barChart(`${title} of ${project}`, bars) });
}

function findingsTable({ rows }: FigureAnswer): Html {
  return table(
    'What to do first',
    [
      { name: 'issue', cell: ({ issue }) => String(issue).replaceAll('_', ' ') },
      {
        name: 'severity',
        cell: ({ severity }) => severityMark(String(severity)),
      },
      { name: 'pages', isNumber: true, cell: ({ pages }) => shownValue(pages) },
      { name: 'example', cell: ({ example }) => String(example ?? '–') },
    ],
    rows,
    '',
  );
}
