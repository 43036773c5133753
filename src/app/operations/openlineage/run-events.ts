import { createHash } from 'node:crypto';
import type { RunResult } from '../../../etl/project/model/runs/run-result.ts';
import type {
  ModelReport,
  RunReport,
  TestReport,
  UnitReport,
} from '../../../etl/project/model/runs/unit-report.ts';
import type { Dictionary, DictionaryTable } from '../../answers/dictionary/dictionary.ts';

export interface LineageRun {
  /** Id of the events; the id in `ops.runs` is in their facet `crawlhouse_run`. */
  readonly runId: string;
  /** `run`, `backfill`, `transform`, `load`, or `schedule.` and the name of a schedule. */
  readonly job: string;
  readonly namespace: string;
  /** A URI with the name and version of this program. */
  readonly producer: string;
  /** The namespaces of the datasets: the service's address, the warehouse's path. */
  readonly service: string;
  readonly warehouse: string;
  /** The prefix of schema and table in their names: the database. */
  readonly prefix: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

export function startEvent(run: LineageRun): RunEvent {
  return event(run, 'START', run.startedAt, { name: run.job, type: 'COMMAND' });
}

export function failEvent(
  run: LineageRun,
  eventType: 'FAIL' | 'ABORT',
  message: string,
  at: string,
): RunEvent {
  return event(run, eventType, at, { name: run.job, type: 'COMMAND', runFacets: errorFacet(run, message) });
}

/**
 * Yields the events of an ended run: two for each unit, for each model and for the tests of each model, then the end of
 * the run itself. The run reports the durations of its parts, not their times, so their events end with the run.
 */
export function* endEvents(
  run: LineageRun,
  { report, errors }: Pick<RunResult, 'report' | 'errors'>,
  dictionary: Dictionary,
  aborted: boolean,
): Generator<RunEvent> {
  const tables = new Map(dictionary.tables.map((table) => [table.name, table]));
  const described = new Set<string>();
  for (const unit of report.units) {
    if (unit.status === 'skipped' || unit.status === 'unchanged') continue;
    yield* unitEvents(run, report, unit, describe(run, tables, described, `raw.${unit.dataset}`));
  }
  for (const model of report.models) {
    if (model.status === 'unchanged') continue;
    yield* modelEvents(run, report, model, tables.get(model.name));
  }
  for (const [model, tests] of Map.groupBy(report.tests, (test) => test.model))
    yield* testEvents(run, report, model, tests);
  const failed = report.status !== 'done';
  const message = errors.map((error) => error.message).join('\n') || `the run is ${report.status}`;
  yield event(run, aborted ? 'ABORT' : failed ? 'FAIL' : 'COMPLETE', report.ended_at, {
    name: run.job,
    type: 'COMMAND',
    runFacets: {
      ...facet(run.producer, 'crawlhouse_run', { run_id: report.run_id, status: report.status }),
      ...(failed || aborted ? errorFacet(run, message) : {}),
    },
  });
}

function unitEvents(
  run: LineageRun,
  report: RunReport,
  unit: UnitReport,
  output: LineageDataset,
): RunEvent[] {
  const { counts, bytes, route, format, attempts, error } = unit;
  const part: Part = {
    name: unit.dataset,
    key: unit.unit,
    type: 'UNIT',
    runFacets: {
      ...facet(run.producer, 'crawlhouse_unit', { unit: unit.unit, route, format, attempts, bytes, counts }),
      ...(error === null ? {} : errorFacet(run, error.message)),
    },
    inputs: [{ namespace: run.service, name: unit.dataset }],
    outputs: [
      counts.loaded === null
        ? output
        : { ...output, outputFacets: facet(run.producer, 'outputStatistics', { rowCount: counts.loaded }) },
    ],
  };
  return twoEvents(run, report, part, { seconds: unit.seconds, failed: unit.status !== 'loaded' });
}

function modelEvents(
  run: LineageRun,
  report: RunReport,
  { name, status, rows, seconds }: ModelReport,
  table: DictionaryTable | undefined,
): RunEvent[] {
  const fields = table?.columns.flatMap(({ name: column, sources }) =>
    sources.length === 0 ? [] : [[column, { inputFields: sources.map((source) => inputField(run, source)) }]],
  );
  const output: LineageDataset = {
    ...dataset(run, name),
    facets: {
      ...(table === undefined ? {} : tableFacets(run, table)),
      ...facet(run.producer, 'columnLineage', { fields: Object.fromEntries(fields ?? []) }),
    },
    ...(rows === null ? {} : { outputFacets: facet(run.producer, 'outputStatistics', { rowCount: rows }) }),
  };
  const part: Part = {
    name,
    type: 'MODEL',
    jobFacets:
      typeof table?.sql === 'string'
        ? facet(run.producer, 'sql', { query: table.sql, dialect: 'duckdb' })
        : {},
    runFacets: status === 'failed' ? errorFacet(run, `${name} was not built`) : {},
    inputs: (table?.reads ?? []).map((read) => dataset(run, read)),
    outputs: [output],
  };
  return twoEvents(run, report, part, { seconds, failed: status === 'failed' });
}

function testEvents(
  run: LineageRun,
  report: RunReport,
  model: string,
  tests: readonly TestReport[],
): RunEvent[] {
  const assertions = tests.map(({ name, severity, status, failures, query }) => ({
    assertion: name,
    success: status === 'passed',
    severity,
    actual: String(failures),
    expected: '0',
    content: query,
    contentType: 'sql',
  }));
  const broken = tests.filter(({ severity, status }) => severity === 'error' && status === 'failed');
  const part: Part = {
    name: `${model}.tests`,
    type: 'TEST',
    runFacets:
      broken.length === 0 ? {} : errorFacet(run, `failed: ${broken.map(({ name }) => name).join(', ')}`),
    inputs: [
      { ...dataset(run, model), inputFacets: facet(run.producer, 'dataQualityAssertions', { assertions }) },
    ],
  };
  return twoEvents(run, report, part, { seconds: 0, failed: broken.length > 0 });
}

interface Part {
  readonly name: string;
  /** Distinguishes its run from others of the job; default: the name. */
  readonly key?: string;
  readonly type: 'COMMAND' | 'UNIT' | 'MODEL' | 'TEST';
  readonly runFacets?: Facets;
  readonly jobFacets?: Facets;
  readonly inputs?: readonly LineageDataset[];
  readonly outputs?: readonly LineageDataset[];
}

function twoEvents(
  run: LineageRun,
  { ended_at }: RunReport,
  part: Part,
  { seconds, failed }: { readonly seconds: number; readonly failed: boolean },
): RunEvent[] {
  const startedAt = new Date(Date.parse(ended_at) - seconds * 1000).toISOString();
  const { errorMessage: _, ...known } = part.runFacets ?? {};
  return [
    event(run, 'START', startedAt, { ...part, runFacets: known }),
    event(run, failed ? 'FAIL' : 'COMPLETE', ended_at, part),
  ];
}

function event(run: LineageRun, eventType: RunEvent['eventType'], eventTime: string, part: Part): RunEvent {
  const { namespace, producer } = run;
  const isRun = part.type === 'COMMAND';
  const parent = { run: { runId: run.runId }, job: { namespace, name: run.job } };
  const jobType = { processingType: 'BATCH', integration: 'CRAWLHOUSE', jobType: part.type };
  return {
    eventType,
    eventTime,
    producer,
    schemaURL: RUN_EVENT_SCHEMA,
    run: {
      runId: isRun ? run.runId : partId(run.runId, part.key ?? part.name),
      facets: { ...(isRun ? {} : facet(producer, 'parent', parent)), ...part.runFacets },
    },
    job: {
      namespace,
      name: part.name,
      facets: { ...facet(producer, 'jobType', jobType), ...part.jobFacets },
    },
    inputs: part.inputs ?? [],
    outputs: part.outputs ?? [],
  };
}

function dataset(run: LineageRun, name: string): LineageDataset {
  return { namespace: run.warehouse, name: `${run.prefix}${name}` };
}

/** Returns a loaded table. Its columns are included once per run, because there may be many. */
function describe(
  run: LineageRun,
  tables: ReadonlyMap<string, DictionaryTable>,
  described: Set<string>,
  name: string,
): LineageDataset {
  const table = tables.get(name);
  if (table === undefined || described.has(name)) return dataset(run, name);
  described.add(name);
  return { ...dataset(run, name), facets: tableFacets(run, table) };
}

function tableFacets({ producer }: LineageRun, { columns, description }: DictionaryTable): Facets {
  const fields = columns.map((column, index) => ({
    name: column.name,
    ...(column.type === null ? {} : { type: column.type }),
    ...(column.description === null ? {} : { description: column.description }),
    ordinal_position: index + 1,
  }));
  return {
    ...facet(producer, 'schema', { fields }),
    ...(description === null ? {} : facet(producer, 'documentation', { description })),
  };
}

/** Returns a column such as `raw.crawl_pages.url` as a field of a dataset. */
function inputField(run: LineageRun, source: string): { namespace: string; name: string; field: string } {
  const [schema, table, ...column] = source.split('.');
  return { ...dataset(run, `${schema}.${table}`), field: column.join('.') };
}

function errorFacet({ producer }: LineageRun, message: string): Facets {
  return facet(producer, 'errorMessage', { message, programmingLanguage: 'TypeScript' });
}

const SPEC = 'https://openlineage.io/spec';

interface Facet {
  readonly _producer: string;
  readonly _schemaURL: string;
}

type Facets = Readonly<Record<string, Facet>>;

interface LineageDataset {
  readonly namespace: string;
  readonly name: string;
  readonly facets?: Facets;
  readonly inputFacets?: Facets;
  readonly outputFacets?: Facets;
}

/** An event of OpenLineage (https://openlineage.io/spec/2-0-2/OpenLineage.json, RunEvent). */
export interface RunEvent {
  readonly eventType: 'START' | 'COMPLETE' | 'FAIL' | 'ABORT';
  /** ISO 8601, UTC. */
  readonly eventTime: string;
  readonly producer: string;
  readonly schemaURL: string;
  readonly run: { readonly runId: string; readonly facets: Facets };
  readonly job: { readonly namespace: string; readonly name: string; readonly facets: Facets };
  readonly inputs: readonly LineageDataset[];
  readonly outputs: readonly LineageDataset[];
}

const RUN_EVENT_SCHEMA = `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`;

/** The standard facets of the events: key, schema version and schema name. */
const STANDARD_FACETS = {
  parent: ['1-2-0', 'ParentRunFacet'],
  errorMessage: ['1-0-1', 'ErrorMessageRunFacet'],
  jobType: ['2-0-4', 'JobTypeJobFacet'],
  sql: ['1-1-0', 'SQLJobFacet'],
  schema: ['1-2-0', 'SchemaDatasetFacet'],
  documentation: ['1-1-0', 'DocumentationDatasetFacet'],
  columnLineage: ['1-2-0', 'ColumnLineageDatasetFacet'],
  outputStatistics: ['1-0-2', 'OutputStatisticsOutputDatasetFacet'],
  dataQualityAssertions: ['1-1-0', 'DataQualityAssertionsDatasetFacet'],
} as const;
/** Our own facets: the run of `ops.runs`, and the six counts of a unit. */
type OwnFacet = 'crawlhouse_run' | 'crawlhouse_unit';
function facet(
  producer: string,
  key: keyof typeof STANDARD_FACETS | OwnFacet,
  content: Readonly<Record<string, unknown>>,
): Facets {
  const schema = Object.hasOwn(STANDARD_FACETS, key)
    ? STANDARD_FACETS[key as keyof typeof STANDARD_FACETS]
    : undefined;
  const _schemaURL = schema
    ? `${SPEC}/facets/${schema[0]}/${schema[1]}.json#/$defs/${schema[1]}`
    : `urn:crawlhouse:openlineage:${key}:1`;
  return { [key]: { _producer: producer, _schemaURL, ...content } };
}

/** Returns the id of a part of a run, which depends only on the run and the name (UUID version 8, RFC 9562). */
function partId(runId: string, name: string): string {
  const bytes = createHash('sha256').update(`${runId} ${name}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
