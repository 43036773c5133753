import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import type { LedgerUnit } from '../../../etl/project/model/runs/ledger-records.ts';
import { COUNTS, type CountName } from '../../../etl/project/model/runs/six-counts.ts';
import { type LoadEntry, loadEntries } from '../../../etl/state/catalog/ops/ops-loads.ts';
import { countRejects, type Reject, rejectsOf } from '../../../etl/state/catalog/ops/ops-rejects.ts';
import { type KnownChange, lastSchemaChanges } from '../../../etl/state/catalog/ops/ops-schema-changes.ts';
import { projectNames } from '../../../etl/state/catalog/raw/raw-projects.ts';
import {
  type Block,
  type Link,
  line,
  moment,
  type ShownValue,
  section,
  type Table,
  tableOf,
  unitCell,
} from '../../answers/presentation/blocks.ts';

const MOST_CHANGES = 20;

export type UnitLoad = Pick<
  LoadEntry,
  | 'route'
  | 'reason'
  | 'format'
  | 'bytes'
  | 'seconds'
  | 'attempts'
  | 'filter'
  | 'usual'
  | 'run_id'
  | 'loaded_at'
> & {
  readonly counts: { readonly [Name in CountName]: LoadEntry[Name] };
  /** The counts that differ from the preceding count. */
  readonly differing: readonly CountName[];
};

export interface PublishedUnit {
  readonly load: UnitLoad | null;
  readonly project_name: string | null;
  readonly rejects: Reject[];
  readonly rejects_total: number;
  /** Changes of its dataset, newest first. */
  readonly schema_changes: KnownChange[];
}

/** @param place the limit and offset of the rejects, given their total */
export async function readPublishedUnit(
  connection: Connection,
  { unit, dataset, source: { project_id } }: LedgerUnit,
  place: (total: number) => { readonly limit: number; readonly offset: number },
): Promise<PublishedUnit> {
  const [load] = await loadEntries(connection, 'unit', unit, { limit: 1, offset: 0 });
  const total = await countRejects(connection, unit);
  const names = await projectNames(connection);
  return {
    load: load === undefined ? null : loadOf(load),
    project_name: (project_id && names.get(project_id)) || null,
    rejects: await rejectsOf(connection, unit, place(total)),
    rejects_total: total,
    schema_changes: await lastSchemaChanges(connection, dataset, MOST_CHANGES),
  };
}

function loadOf(load: LoadEntry): UnitLoad {
  const { reported, received, staged, rejected, loaded, queryable, flag, usual } = load;
  const { route, reason, format, bytes, seconds, attempts, filter, run_id, loaded_at } = load;
  const counts = { reported, received, staged, rejected, loaded, queryable };
  return {
    counts,
    route,
    reason: reason ?? null,
    format,
    bytes,
    seconds,
    attempts,
    filter,
    run_id,
    loaded_at,
    differing: differing(counts),
    usual: flag === 'few_rows' ? usual : null,
  };
}

function differing(counts: UnitLoad['counts']): CountName[] {
  const { reported, received, staged, rejected, loaded, queryable } = counts;
  const kept = staged === null || rejected === null ? null : BigInt(staged) + BigInt(rejected);
  const pairs = [
    ['received', reported, received],
    ['staged', received, kept],
    ['loaded', staged, loaded],
    ['queryable', loaded, queryable],
  ] as const;
  return pairs
    .filter(([, a, b]) => a !== null && b !== null && BigInt(a) !== BigInt(b))
    .map(([name]) => name);
}

const NOT_PUBLISHED: PublishedUnit = {
  load: null,
  project_name: null,
  rejects: [],
  rejects_total: 0,
  schema_changes: [],
};

/**
 * Returns a unit as `status` shows it on its own: its state, its six counts, its rejects, and the schema changes of its
 * dataset.
 */
export function unitBlocks(
  unit: LedgerUnit,
  facts: PublishedUnit | undefined,
  now: number,
): readonly Block[] {
  const { load, rejects, rejects_total, project_name, schema_changes } = facts ?? NOT_PUBLISHED;
  const { kind, id } = unit.source;
  const crawl = kind === 'crawl' ? { to: 'crawl' as const, crawl_id: id, ended_at: null } : null;
  const more = rejects_total - rejects.length;
  return [
    section(unit.unit, ...unitHead(unit, project_name, crawl, now)),
    section(
      'From the service to the warehouse',
      ...(load === null ? [line(NOT_LOADED)] : [countsOf(load), ...loadBlocks(load, unit.status)]),
    ),
    section(
      'Rejects',
      rejectsTable(rejects),
      ...(more > 0 ? [line(`and ${counted(more, 'more reject')}`)] : []),
    ),
    section(`Schema changes of ${unit.dataset}`, changesTable(schema_changes)),
  ];
}

export const NOT_LOADED = 'It is not in the warehouse.';

interface StandingUnit
  extends Pick<LedgerUnit, 'updated_at' | 'attempts' | 'failures' | 'failing_since' | 'next_try_at'> {
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
  readonly source: { readonly project_id: string | null };
}

/** Returns the state of a unit and since when, its project, and why it fails. */
export function unitHead(
  unit: StandingUnit,
  projectName: string | null,
  crawl: (Link & { readonly to: 'crawl' }) | null,
  now: number,
): readonly Block[] {
  const { project_id } = unit.source;
  const project: ShownValue[] =
    project_id === null ? [] : [{ value: projectName ?? project_id, link: { to: 'project', project_id } }];
  return [
    line([
      { value: unit.status, kind: 'status' } as const,
      ' since ',
      ...moment(unit.updated_at),
      '.',
      ...project.flatMap((one) => [' Project ', one, '.']),
      ...(crawl === null ? [] : [' Crawl: ', { value: crawl.crawl_id, link: crawl }, '.']),
    ]),
    ...failureOf(unit, now),
  ];
}

function failureOf(
  { status, attempts, failures, failing_since, next_try_at, error }: StandingUnit,
  now: number,
): readonly Block[] {
  if (error === null) return [];
  const isLater = next_try_at !== null && Date.parse(next_try_at) > now;
  const tries = [
    `${countText(failures)} ${failures === 1 ? 'run' : 'runs in a row'}`,
    ...(failing_since === null ? [] : [', since ', ...moment(failing_since)]),
    `; ${counted(attempts, 'attempt')} in the last run. crawlhouse tries the unit again `,
    ...(isLater ? ['after ', ...moment(next_try_at)] : ['in the next run']),
    '.',
  ];
  return [
    {
      is: 'problems',
      problems: [
        {
          title: `${error.message} (${error.code})`,
          details: failures > 0 ? [tries] : [],
          todo: error.hint,
          isNotice: status !== 'failed' && status !== 'refused',
        },
      ],
    },
  ];
}

function countsOf({ counts }: UnitLoad): Block {
  return {
    is: 'facts',
    title: null,
    facts: COUNTS.map((name) => [name, { value: counts[name], kind: 'count' }] as const),
  };
}

/** Returns the oddities of a unit's last load, then its route. */
export function loadBlocks(
  { differing: wrong, route, reason, usual, run_id, filter, ...load }: UnitLoad,
  status: string,
): readonly Block[] {
  const run: ShownValue = {
    value: run_id?.slice(0, 8) ?? null,
    link: run_id === null ? null : { to: 'run', run_id },
  };
  return [
    ...(wrong.length === 0 ? [] : [line(`${wrong.join(', ')}: differs from the previous count.`, 'notice')]),
    line(
      `received = staged + rejected.${load.counts.reported === null ? ' The service reports no count.' : ''}`,
    ),
    ...(status === 'published'
      ? []
      : [line('These are the rows of its last load. They stay until it is loaded again.')]),
    ...(usual === null
      ? []
      : [
          line(
            ['It has far fewer rows than usual: ', { value: usual, kind: 'count' }, ' are usual.'],
            'notice',
          ),
        ]),
    {
      is: 'facts',
      title: null,
      facts: [
        ['route', route === null || reason === null ? route : `${route} (${reason})`],
        ['format', load.format],
        ['bytes', { value: load.bytes, kind: 'bytes' }],
        ['took', { value: load.seconds, kind: 'duration' }],
        ['attempts', { value: load.attempts, kind: 'count' }],
        ['loaded (UTC)', { value: load.loaded_at, kind: 'time' }],
        ['run', run],
        ...(filter === null ? [] : [['filter', filter] as const]),
      ],
    },
  ];
}

export function rejectsTable(rejects: readonly Reject[]): Table {
  return tableOf(
    'Rejects',
    [
      { name: 'file', of: ({ file }) => file },
      { name: 'line', kind: 'count', of: (reject) => reject.line },
      { name: 'field', of: ({ field }) => field },
      { name: 'value', of: ({ value }) => value },
      { name: 'reason', of: ({ reason }) => reason },
    ],
    rejects,
    { empty: 'Every value fits its type.' },
  );
}

export function changesTable(changes: readonly KnownChange[]): Table {
  return tableOf(
    'Schema changes',
    [
      { name: 'field', of: ({ field }) => field },
      { name: 'change', of: ({ change }) => change },
      { name: 'before', of: ({ before }) => before },
      { name: 'after', of: ({ after }) => after },
      { name: 'when (UTC)', kind: 'time', of: ({ changed_at }) => changed_at },
      { name: 'unit', isBelow: true, of: unitCell },
    ],
    changes,
    { empty: 'Its fields have not changed.' },
  );
}
