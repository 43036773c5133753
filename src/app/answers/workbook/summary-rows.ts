import type { SheetCell } from '../../../core/xlsx/cell.ts';
import type { IssueList } from '../explore/issues/issue-list.ts';
import { columnName } from '../presentation/value-text.ts';
import type { ProjectReport, TrendPoint } from '../report/read-site-report.ts';

export const SUMMARY_COLUMNS = [
  'Figure',
  'Value',
  'Unit',
  'Crawl of',
  'Previous value',
  'Previous crawl of',
  'Change',
];

const KPIS = [
  ['Pages', 'pages', ({ pages }) => pages],
  ['Indexable pages', 'pages', ({ indexable_pages }) => indexable_pages],
  ['Pages with errors', 'pages', ({ error_pages }) => error_pages],
  ['Average load time', 'ms', ({ average_load_time }) => average_load_time],
] as const satisfies readonly (readonly [
  name: string,
  unit: string,
  of: (point: TrendPoint) => number | null,
])[];

const FUNNEL = ['known', 'fetched', 'answered_200', 'indexable', 'canonical'];

/** Returns the rows of the sheet *Summary*: the crawl, its figures, and what changed since the previous crawl. */
export function summaryRows(
  report: ProjectReport,
  issues: IssueList['issues'],
  remark: string | undefined,
): SheetCell[][] {
  const { project_id, project_name, crawl_id, crawl_config_name, previous_crawl_id, scope_note } = report;
  const [own, previous] = [dayOf(report.ended_at), dayOf(report.previous_ended_at)];
  const point = (crawl: string | null) => report.trend.find((one) => one.crawl_id === crawl);
  const [now, before] = [point(crawl_id), point(previous_crawl_id)];
  const figure = (
    name: string,
    value: SheetCell,
    unit: string,
    former: number | null = null,
  ): SheetCell[] => [
    name,
    value,
    unit,
    own,
    former,
    former === null ? null : previous,
    typeof value !== 'number' || former === null ? null : value - former,
  ];
  const kpis = KPIS.map(([name, unit, of]) =>
    figure(name, now === undefined ? null : of(now), unit, before === undefined ? null : of(before)),
  );
  const found = issues.filter(({ pages }) => pages > 0);
  const funnel = new Map(Object.entries(report.funnel[0] ?? {}));
  const since = (name: string, pages: unknown): SheetCell[] => [
    name,
    Number(pages),
    'pages',
    own,
    null,
    previous,
    null,
  ];
  return [
    ...Object.entries({
      Project: project_name ?? project_id,
      Crawl: crawl_id,
      Configuration: crawl_config_name,
      'Previous crawl': previous_crawl_id,
      Scope: scope_note,
      Note: remark ?? null,
    }).flatMap(([name, text]) => (text === null ? [] : [[name, text]])),
    ...kpis,
    ...FUNNEL.flatMap((key) => {
      const urls = funnel.get(key);
      return typeof urls === 'number' ? [figure(`URLs: ${columnName(key)}`, urls, 'URLs')] : [];
    }),
    figure('Issues', found.length, 'issues'),
    figure('Issues of high severity', found.filter(({ severity }) => severity === 'high').length, 'issues'),
    ...report.changes.map(({ change, pages }) => since(`Changed: ${columnName(String(change))}`, pages)),
    ...report.missing_pages.map(({ reason, pages }) => since(`Not read again: ${columnName(reason)}`, pages)),
  ];
}

/** Returns the day of a time in ISO 8601, as a cell. */
function dayOf(time: string | null): SheetCell {
  return time === null ? null : { milliseconds: Date.parse(time.slice(0, 10)), isDay: true };
}
