import { counted, durationText } from '../../../core/text/amounts.ts';
import { runSeconds, unitsText } from '../../../etl/project/model/runs/run-summary.ts';
import { COUNTS, type CountName } from '../../../etl/project/model/runs/six-counts.ts';
import type { RunReport, TestReport, UnitReport } from '../../../etl/project/model/runs/unit-report.ts';
import { describeDrift, driftHint, type PipelineDrift } from '../../../etl/state/catalog/pipeline-drift.ts';
import {
  type Block,
  type ColumnOf,
  line,
  section,
  type Table,
  tableOf,
  unitCell,
  type Words,
} from '../../answers/presentation/blocks.ts';

type CountOrNull = number | bigint | null;

export type LoadRow = { readonly [Name in CountName | 'bytes' | 'attempts']: CountOrNull } & {
  readonly unit: string;
  readonly status: string;
  readonly route: string | null;
  readonly format: string | null;
  readonly seconds: number | null;
};

/**
 * Returns a row per project with totals and, with `isVerbose`, a row per unit; empty for a run that changed nothing.
 */
export function reportBlocks(
  report: RunReport,
  names: ReadonlyMap<string, string>,
  isVerbose: boolean,
): readonly Block[] {
  if (isIdle(report)) return [];
  const touched = touchedUnits(report);
  const built = report.models.filter((model) => model.status === 'built');
  const passed = report.tests.filter((test) => test.status === 'passed').length;
  const sums = `${counted(touched.length, 'unit')}, ${counted(built.length, 'model')} built, ${passed} of ${counted(report.tests.length, 'data test')} passed`;
  return [
    ...(isVerbose ? [loadsTable(touched.map(({ counts, ...unit }) => ({ ...unit, ...counts })))] : []),
    projectsTable(report, touched, names),
    line(`${sums}: ${report.status} after ${durationText(runSeconds(report))}`),
    ...failedTestsOf(report.tests),
  ];
}

export function isIdle(report: RunReport): boolean {
  return touchedUnits(report).length === 0 && report.models.every((model) => model.status !== 'built');
}

function touchedUnits({ units }: RunReport): readonly UnitReport[] {
  return units.filter((unit) => unit.status !== 'unchanged');
}

/** Returns each changed pipeline, with the command that loads its units again. */
export function driftBlocks(drifts: readonly PipelineDrift[]): readonly Block[] {
  return drifts.flatMap((drift) => [
    line(`Changed: ${describeDrift(drift)}`),
    line(`Try: ${driftHint(drift)}`),
  ]);
}

/**
 * Renders the projects of a run. The last row contains the seconds of the whole run, because several units run in
 * parallel.
 */
function projectsTable(
  report: RunReport,
  units: readonly UnitReport[],
  names: ReadonlyMap<string, string>,
): Table {
  const projects = [...Map.groupBy(units, ({ source }) => source.project_id)]
    .map(([id, own]) => ({
      name: id === null ? 'lists of workspaces' : (names.get(id) ?? id),
      units: own,
      seconds: sum(own, ({ seconds }) => seconds),
    }))
    .sort((a, b) => a.name.localeCompare(b.name));
  const all = projects.length > 1 ? [{ name: 'all', units, seconds: runSeconds(report) }] : [];
  return tableOf(
    'Projects',
    [
      { name: 'project', of: ({ name }) => name },
      {
        name: 'units',
        isBelow: true,
        of: ({ units: own }) => {
          const statuses = [...Map.groupBy(own, ({ status }) => status)];
          return unitsText(Object.fromEntries(statuses.map(([status, those]) => [status, those.length])));
        },
      },
      {
        name: 'rows',
        kind: 'count',
        of: ({ units: own }) => sum(own, (report) => (report.status === 'loaded' ? report.counts.loaded : 0)),
      },
      { name: 'bytes', kind: 'bytes', of: ({ units: own }) => sum(own, ({ bytes }) => bytes) },
      { name: 'time', kind: 'duration', of: ({ seconds }) => seconds },
    ],
    [...projects, ...all],
  );
}

function sum(units: readonly UnitReport[], of: (unit: UnitReport) => number | null): number {
  return units.reduce((all, unit) => all + (of(unit) ?? 0), 0);
}

export function loadsTable(loads: readonly LoadRow[], empty: Words = ''): Table {
  return tableOf(
    'Units',
    [
      { name: 'unit', of: unitCell },
      { name: 'status', kind: 'status', of: ({ status }) => status },
      ...COUNTS.map((name): ColumnOf<LoadRow> => ({ name, kind: 'count', of: (row) => row[name] })),
      { name: 'bytes', kind: 'bytes', of: ({ bytes }) => bytes },
      { name: 'took', kind: 'duration', of: ({ seconds }) => seconds },
      { name: 'route', isBelow: true, of: ({ route }) => route },
      { name: 'format', isBelow: true, of: ({ format }) => format },
      { name: 'attempts', kind: 'count', isBelow: true, of: ({ attempts }) => attempts },
    ],
    loads,
    { empty },
  );
}

/** Returns each failed test, with some of the rows that break it and the SELECT for all of them. */
export function failedTestsOf(tests: readonly TestReport[]): readonly Block[] {
  return tests
    .filter((test) => test.status === 'failed')
    .map(({ model, name, severity, failures, sample, query }) => {
      const columns = Object.keys(sample[0] ?? {});
      const shown = failures > sample.length ? `some of ${failures}` : `${failures}`;
      return section(
        null,
        line(`${severity}: ${model}: ${name}: ${shown} ${failures === 1 ? 'row' : 'rows'}`),
        tableOf(
          'Rows that break the test',
          columns.map(
            (column): ColumnOf<(typeof sample)[number]> => ({
              name: column,
              of: (row) => plain(row[column]),
            }),
          ),
          sample,
        ),
        line(`all rows: ${query.replaceAll(/\s+/g, ' ').trim()}`),
      );
    });
}

/** Shows NULL, to distinguish it from an empty text. */
function plain(value: unknown): string | number {
  if (value === null || value === undefined) return 'NULL';
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

export function testsTable(
  tests: readonly (Pick<TestReport, 'model' | 'name'> & {
    readonly severity: string;
    readonly status: string;
    readonly failures: number | bigint;
  })[],
  empty: Words = '',
): Table {
  return tableOf(
    'Data tests',
    [
      { name: 'model', of: ({ model }) => model },
      { name: 'test', of: ({ name }) => name },
      { name: 'severity', of: ({ severity }) => severity },
      { name: 'status', kind: 'status', of: ({ status }) => status },
      { name: 'failures', kind: 'count', of: ({ failures }) => failures },
    ],
    tests,
    { empty },
  );
}
