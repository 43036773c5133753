import { counted, countText, durationText } from '../../core/text/amounts.ts';
import type { UnitError } from '../../project/model/runs/report.ts';
import { unitsText } from '../../project/model/runs/run-summary.ts';
import {
  type Block,
  type ColumnOf,
  line,
  moment,
  section,
  type Table,
  tableOf,
  unitCell,
} from '../../project/model/shown/blocks.ts';
import { testsTable } from './run-blocks.ts';
import { errorText, type RunLine, secondsOf } from './run-line.ts';

/** A run of the past, as the ledger and the warehouse know it. */
export interface PastRun extends RunLine {
  /** The first error that is no single unit's. */
  readonly failure: Omit<UnitError, 'code'> | null;
  readonly seconds: { readonly units: number; readonly after: number } | null;
  readonly failing: readonly {
    readonly unit: string;
    readonly status: string;
    readonly attempts: number;
    readonly message: string | null;
    readonly hint: string | null;
  }[];
  readonly models: readonly {
    readonly name: string;
    readonly kind: string;
    readonly rows: number | bigint | null;
  }[];
  readonly tests: Parameters<typeof testsTable>[0];
}

/** When it ran, how it ended, why. */
export function pastRunBlocks(run: PastRun): readonly Block[] {
  const { run_id, command, status, started_at, ended_at, seconds, units, rows, failing } = run;
  const took = secondsOf(run);
  const sums = [
    ...(unitsText(units) === null ? [] : [`units: ${unitsText(units)}`]),
    ...(rows === null ? [] : [`rows loaded: ${countText(rows)}`]),
    ...(seconds === null
      ? []
      : [`units took ${durationText(seconds.units)}, what followed ${durationText(seconds.after)}`]),
  ];
  return [
    line([
      ...[`${command}: `, { value: status, kind: 'status' } as const, '. Began ', ...moment(started_at)],
      ...(ended_at === null || took === null
        ? []
        : [', ended ', ...moment(ended_at), `, took ${durationText(took)}`]),
      ...['. Its id: ', { value: run_id, kind: 'code' } as const],
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

/** The models that it made, and the data tests that failed. */
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
      : [section('Models that it made', tableOf('Models that it made', columns, models))]),
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
