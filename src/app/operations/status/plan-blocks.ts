import { bytesText, counted, durationText } from '../../../core/text/amounts.ts';
import type { PlanEntry, PlanTotals } from '../../../etl/project/model/runs/plan-report.ts';
import { type Block, type ColumnOf, line, type Table, tableOf } from '../../answers/presentation/blocks.ts';

/** A unit of a plan, which another process may have printed. */
type PlannedUnit = Pick<
  PlanEntry,
  'unit' | 'dataset' | 'project_name' | 'route' | 'format' | 'rows' | 'bytes' | 'seconds'
> & {
  readonly status: string;
  readonly requests: number | null;
  readonly reason: string | null;
  readonly limit_seconds: number | null;
};

/** The facts of a plan for people, on a terminal and in the console. */
export interface PlanFacts {
  readonly totals: Pick<PlanTotals, 'units' | 'rows' | 'bytes' | 'seconds'> & {
    readonly [Name in 'requests' | 'exports' | 'loaded']: number | null;
  };
  /** The first due units. */
  readonly units: readonly PlannedUnit[];
  readonly left_out: readonly { readonly reason: string; readonly units: number }[];
  /** Due datasets that were never loaded, so that their duration is unknown. */
  readonly not_loaded: readonly string[];
}

/** @param most maximum due units */
export function planFacts(
  { units, totals }: { readonly units: readonly PlannedUnit[]; readonly totals: PlanFacts['totals'] },
  most = Number.POSITIVE_INFINITY,
): PlanFacts {
  const due = units.filter(({ status }) => status === 'due');
  const left = units.filter(({ status }) => status === 'skipped' || status === 'failed');
  const reasons = Map.groupBy(left, ({ reason }) => reason ?? 'unknown');
  return {
    totals,
    units: due.slice(0, most),
    left_out: [...reasons].map(([reason, those]) => ({ reason, units: those.length })),
    not_loaded: [...new Set(due.filter(({ seconds }) => seconds === null).map(({ dataset }) => dataset))],
  };
}

/** Returns one row per due unit, then the totals, and the skipped units. */
export function planBlocks(facts: PlanFacts): readonly Block[] {
  return [...(facts.units.length === 0 ? [] : [planTable(facts)]), ...planSums(facts)];
}

export function planTable({ units }: PlanFacts): Table {
  const columns: readonly ColumnOf<PlannedUnit>[] = [
    { name: 'unit', of: ({ unit }) => unit },
    { name: 'project', isBelow: true, of: ({ project_name }) => project_name },
    { name: 'route', of: ({ route }) => route },
    { name: 'format', of: ({ format }) => format },
    { name: 'rows', kind: 'count', of: ({ rows }) => rows },
    { name: 'bytes', kind: 'bytes', of: ({ bytes }) => bytes },
    { name: 'time', kind: 'duration', of: ({ seconds }) => seconds },
    { name: 'limit', kind: 'duration', isBelow: true, of: ({ limit_seconds }) => limit_seconds },
    { name: 'requests', kind: 'count', isBelow: true, of: ({ requests }) => requests },
    { name: 'reason', isBelow: true, of: ({ reason }) => reason },
  ];
  return tableOf('Units', columns, units, { empty: 'No unit is due.' });
}

export function dropTable(
  units: readonly (Pick<PlannedUnit, 'unit' | 'project_name'> & { readonly rows: number | null })[],
): Table {
  return tableOf(
    'Units',
    [
      { name: 'unit', of: ({ unit }) => unit },
      ...(units.some(({ project_name }) => project_name !== null)
        ? [{ name: 'project', of: ({ project_name }: (typeof units)[number]) => project_name }]
        : []),
      { name: 'rows', kind: 'count', of: ({ rows }) => rows },
    ],
    units,
  );
}

export function planSums({ totals, left_out, not_loaded }: PlanFacts): readonly Block[] {
  const time =
    totals.seconds === null
      ? `duration unknown: ${shortList(not_loaded)} ${not_loaded.length === 1 ? 'has' : 'have'} not been loaded yet`
      : `about ${durationText(totals.seconds)}, based on past loads`;
  const bytes = totals.bytes === null ? '' : `, about ${bytesText(totals.bytes)}`;
  return [
    `${counted(totals.units, 'unit')} due: ${counted(totals.rows, 'row')} by the service's count${bytes}; ${time}`,
    `cost at the service: at least ${counted(totals.requests ?? 0, 'request')}, ${counted(totals.exports ?? 0, 'data export')}`,
    ...(totals.loaded ? [`${counted(totals.loaded, 'unit')} already in the warehouse`] : []),
    ...left_out.map(({ reason, units }) => `${counted(units, 'unit')} left out: ${reason}`),
  ].map((words) => line(words));
}

export function firstPlanBlocks(facts: PlanFacts, since: string): readonly Block[] {
  const datasets = [...Map.groupBy(facts.units, ({ dataset }) => dataset)];
  return [
    line(`First run: ${since === 'all' ? 'all ended crawls' : `crawls that ended since ${since}`}`),
    tableOf(
      'Datasets',
      [
        { name: 'dataset', of: ([dataset]) => dataset },
        { name: 'units', kind: 'count', of: ([, units]) => units.length },
        {
          name: 'rows',
          kind: 'count',
          // The service gives no counts for some datasets.
          of: ([, units]) =>
            units.every(({ rows }) => rows === null)
              ? null
              : units.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
        },
      ],
      datasets,
    ),
    ...planSums(facts),
  ];
}

function shortList(names: readonly string[]): string {
  return names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 2).join(', ')} and ${counted(names.length - 2, 'more dataset')}`;
}
