import { z } from 'zod';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { counted, countText, durationText } from '../../../core/text/amounts.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { LedgerRun, LedgerUnit } from '../../../etl/project/model/runs/ledger-records.ts';
import { unitsText } from '../../../etl/project/model/runs/run-summary.ts';
import type { UnitError } from '../../../etl/project/model/runs/unit-report.ts';
import { countLoads, type LoadEntry, loadEntries } from '../../../etl/state/catalog/ops/ops-loads.ts';
import { modelsOfRun } from '../../../etl/state/catalog/ops/ops-models.ts';
import { testsOfRun } from '../../../etl/state/catalog/ops/ops-test-results.ts';
import {
  type Block,
  type ColumnOf,
  line,
  moment,
  section,
  type Table,
  tableOf,
  unitCell,
} from '../../answers/presentation/blocks.ts';
import { loadsTable, testsTable } from './run-blocks.ts';
import { errorText, type RunLine, runLine, secondsOf } from './run-line.ts';

/** A unit that a run left failing, refused or skipped. */
export const FailingUnit = z.strictObject({
  unit: z.string(),
  status: z.string(),
  attempts: z.number(),
  message: z.string().nullable(),
  hint: z.string().nullable(),
});
type FailingUnit = Typed<typeof FailingUnit>;

export interface PastRun extends RunLine {
  /** The first error that belongs to no single unit. */
  readonly failure: Omit<UnitError, 'code'> | null;
  readonly seconds: { readonly units: number; readonly after: number } | null;
  readonly failing: readonly FailingUnit[];
  readonly models: readonly {
    readonly name: string;
    readonly kind: string;
    readonly rows: number | bigint | null;
  }[];
  readonly tests: Parameters<typeof testsTable>[0];
}

export interface PublishedRun {
  readonly loads: readonly LoadEntry[];
  readonly loads_total: number;
  readonly models: Awaited<ReturnType<typeof modelsOfRun>>;
  readonly tests: Awaited<ReturnType<typeof testsOfRun>>;
}

/** @param place the limit and offset of the units, given their total */
export async function readPublishedRun(
  connection: Connection,
  runId: string,
  place: (total: number) => { readonly limit: number; readonly offset: number },
): Promise<PublishedRun> {
  const total = await countLoads(connection, runId);
  return {
    loads: await loadEntries(connection, 'run_id', runId, place(total)),
    loads_total: total,
    models: await modelsOfRun(connection, runId),
    tests: await testsOfRun(connection, runId),
  };
}

/** Returns a run with the units that it left failing, refused or skipped, if no later run has tried them. */
export function pastRun(run: LedgerRun, units: readonly LedgerUnit[], facts: PublishedRun | undefined) {
  const { summary, started_at } = run;
  const until = run.ended_at ?? new Date().toISOString();
  return {
    ...runLine(run),
    failure: summary?.failure ?? null,
    seconds: summary?.seconds ? { units: summary.seconds.units, after: summary.seconds.after } : null,
    failing: units
      .filter(({ status }) => ['failed', 'refused', 'skipped'].includes(status))
      .filter(({ updated_at }) => updated_at >= started_at && updated_at <= until)
      .map(({ unit, status, attempts, error }) => ({
        unit,
        status,
        attempts,
        message: error?.message ?? null,
        hint: error?.hint ?? null,
      })),
    models: facts?.models ?? [],
    tests: facts?.tests ?? [],
  } satisfies PastRun;
}

/** Returns a run as `status` shows it on its own. */
export function foundRunBlocks(run: PastRun, facts: PublishedRun | undefined): readonly Block[] {
  const loads = (facts?.loads ?? []).map((load) => ({ ...load, status: 'loaded' }));
  const more = (facts?.loads_total ?? 0) - loads.length;
  return [
    section(`Run ${run.run_id.slice(0, 8)}`, ...pastRunBlocks(run)),
    section(
      'Units that it loaded',
      loadsTable(loads, NO_LOADS),
      ...(more > 0 ? [line(`and ${counted(more, 'more unit')}`)] : []),
    ),
    ...madeBlocks(run),
  ];
}

export const NO_LOADS = 'It loaded nothing, or a later run loaded the same units again.';

export function pastRunBlocks(run: PastRun): readonly Block[] {
  const { run_id, command, status, started_at, ended_at, seconds, units, rows, failing } = run;
  const took = secondsOf(run);
  const sums = [
    ...(unitsText(units) === null ? [] : [`units: ${unitsText(units)}`]),
    ...(rows === null ? [] : [`rows loaded: ${countText(rows)}`]),
    ...(seconds === null
      ? []
      : [`units took ${durationText(seconds.units)}, the later steps ${durationText(seconds.after)}`]),
  ];
  return [
    line([
      `${command}: `,
      { value: status, kind: 'status' } as const,
      '. Began ',
      ...moment(started_at),
      ...(ended_at === null || took === null
        ? []
        : [', ended ', ...moment(ended_at), `, took ${durationText(took)}`]),
      '. Its id: ',
      { value: run_id, kind: 'code' } as const,
    ]),
    ...(status === 'killed'
      ? [line('Its process ended without recording a result. The next run continues its work.', 'notice')]
      : []),
    ...failureOf(run),
    ...(sums.length === 0 ? [] : [line(sums.join(' · '))]),
    ...(failing.length === 0 ? [] : [section('Units that failed or were skipped', failingTable(failing))]),
  ];
}

function failureOf(run: PastRun): readonly Block[] {
  const title = errorText(run);
  const { failure, error } = run;
  if (title === null) return [];
  const details = failure === null || failure.message === error ? [] : [failure.message];
  return [{ is: 'problems', problems: [{ title, details, todo: failure?.hint ?? null }] }];
}

function failingTable(failing: PastRun['failing']): Table {
  return tableOf(
    'Units that failed or were skipped',
    [
      { name: 'unit', of: unitCell },
      { name: 'status', kind: 'status', of: ({ status }) => status },
      { name: 'attempts', kind: 'count', of: ({ attempts }) => attempts },
      { name: 'error', of: ({ message }) => message },
      { name: 'to do', of: ({ hint }) => hint },
    ],
    failing,
  );
}

export function madeBlocks({ models, tests }: PastRun): readonly Block[] {
  const failed = tests.filter(({ status }) => status !== 'passed');
  const columns: readonly ColumnOf<PastRun['models'][number]>[] = [
    { name: 'model', of: ({ name }) => name },
    { name: 'kind', of: ({ kind }) => kind },
    { name: 'rows', kind: 'count', of: ({ rows }) => rows },
  ];
  return [
    ...(models.length === 0
      ? []
      : [section('Models that it built', tableOf('Models that it built', columns, models))]),
    ...(tests.length === 0
      ? []
      : [
          section(
            'Data tests',
            testsTable(failed, 'No data test failed.'),
            line(`${counted(tests.length - failed.length, 'data test')} passed.`),
          ),
        ]),
  ];
}
