import { describeProgress } from '../../../core/progress/progress.ts';
import { countText } from '../../../core/text/amounts.ts';
import type { LedgerUnit } from '../../../etl/project/model/runs/ledger-records.ts';
import {
  type Block,
  line,
  moment,
  type ShownValue,
  section,
  type Table,
  tableOf,
  unitCell,
  type Words,
} from '../../answers/presentation/blocks.ts';
import type { Status } from './read-status.ts';
import { runLine, runsTable } from './run-line.ts';
import { FAILING, type StatusFacts } from './status-facts.ts';

const RUNS_SHOWN = 10;

/** Returns one screen for a returning user: problems, last runs, freshness, due units, sizes. */
export function statusBlocks(facts: StatusFacts, now: number): readonly Block[] {
  const { live, runs } = facts;
  return [
    ...wrongNow(facts, now),
    ...(live === null
      ? []
      : [
          section(
            `Run in progress: ${live.run_id.slice(0, 8)} (${live.command})`,
            line(live.progress === null ? 'it has not started its units' : describeProgress(live.progress)),
          ),
        ]),
    ...unitsAtWork(facts),
    section(`Runs (the last ${Math.min(RUNS_SHOWN, runs.length)})`, runsTable(runs.slice(0, RUNS_SHOWN))),
    section('Projects', freshnessTable(facts, now)),
    ...exportsUnderWay(facts),
    ...totals(facts),
    diskUse(facts),
  ];
}

export function wrongNow({ incidents, drift, failing, units }: StatusFacts, now: number): readonly Block[] {
  const isWell = incidents.length === 0 && drift.length === 0 && failing.length === 0;
  return [
    incidents.length > 0
      ? section(`Incidents: ${incidents.length}`, {
          is: 'problems',
          problems: incidents.map(({ hint, ...one }) => ({ ...one, todo: hint })),
        })
      : line(isWell ? 'Nothing is wrong.' : 'No incident is open.', 'good'),
    ...(drift.length === 0
      ? []
      : [
          section(`Pipelines that have changed: ${drift.length}`, {
            is: 'problems',
            problems: drift.map(({ text, hint }) => ({
              title: text,
              details: [],
              isNotice: true,
              todo: [{ value: hint, kind: 'code' }],
            })),
          }),
        ]),
    ...(failing.length === 0
      ? []
      : [
          section(
            `Units that fail: ${countText(units.failing)}`,
            failingTable(failing, now),
            ...andMore(units.failing - failing.length),
          ),
        ]),
  ];
}

export function unitsAtWork({ claims: { total, first } }: StatusFacts): readonly Block[] {
  if (total === 0) return [];
  const table = tableOf(
    'Units in progress',
    [
      { name: 'unit', of: unitCell },
      { name: 'process', isBelow: true, of: ({ worker }) => worker },
      { name: 'since (UTC)', kind: 'time', of: ({ claimed_at }) => claimed_at },
      { name: 'phase', of: ({ phase }) => phase },
      {
        name: 'rows',
        of: ({ received, reported }) =>
          reported === null ? countText(received) : `${countText(received)} of ${countText(reported)}`,
      },
    ],
    first,
  );
  return [section(`Units in progress: ${countText(total)}`, table, ...andMore(total - first.length))];
}

export function freshnessTable({ projects }: StatusFacts, now: number): Table {
  return tableOf(
    'Projects',
    [
      { name: 'project', of: ({ project_id, project_name }) => projectCell(project_id, project_name) },
      { name: 'ended (UTC)', kind: 'time', of: ({ ended_at }) => ended_at },
      { name: 'age', kind: 'age', of: ({ ended_at }) => ended_at && (now - Date.parse(ended_at)) / 1000 },
      { name: 'loaded (UTC)', kind: 'time', of: ({ loaded_at }) => loaded_at },
      {
        name: 'last crawl',
        isBelow: true,
        of: ({ crawl_id, ended_at }) => ({ value: crawl_id, link: { to: 'crawl', crawl_id, ended_at } }),
      },
    ],
    projects.oldest,
    { empty: ['No crawl is published yet. Run ', { value: 'crawlhouse run', kind: 'code' }, '.'] },
  );
}

export function exportsUnderWay({ exports }: StatusFacts): readonly Block[] {
  if (exports.length === 0) return [];
  const table = tableOf(
    'Data exports in progress',
    [
      { name: 'unit', of: unitCell },
      { name: 'export', isBelow: true, of: ({ data_export_id }) => data_export_id },
      { name: 'status', of: ({ status }) => status },
      { name: 'requested (UTC)', kind: 'time', of: ({ requested_at }) => requested_at },
    ],
    exports,
  );
  return [section('Data exports in progress', table)];
}

/** Returns a line each for units, crawls and schedules. */
export function totals({ units, crawls: { open, swept_at }, schedules }: StatusFacts): readonly Block[] {
  const parts = Object.entries(units).map(([name, count]) => `${countText(count)} ${name}`);
  return [
    line(`Units: ${parts.join(', ')}`),
    line([
      `Crawls: ${countText(open)} open`,
      ...(swept_at === null ? [] : [', lists last read in full at ', ...moment(swept_at)]),
    ]),
    ...schedules.map(({ name, next_at }) =>
      line([
        `Schedule ${name}: `,
        ...(next_at === null ? ['no next firing'] : ['next at ', ...moment(next_at)]),
      ]),
    ),
  ];
}

export function diskUse({ disk }: StatusFacts): Block {
  const facts = Object.entries(disk).map(
    ([name, bytes]) => [name.replace('_', ' '), { value: bytes, kind: 'bytes' }] as const,
  );
  return { is: 'facts', title: 'Disk', facts };
}

export type FoundUnits = Pick<Status, 'units' | 'runs'>;

/**
 * Finds a run by the first characters of its id, and units by part of their name or by their project.
 *
 * @param projects ids of the projects with that name
 */
export function findInStatus(
  wanted: string,
  projects: readonly string[],
  { units, runs }: FoundUnits,
): FoundUnits {
  return {
    runs: runs.filter((run) => wanted.length >= 4 && run.run_id.startsWith(wanted)),
    units: units.filter(
      ({ unit, source: { project_id: id } }) =>
        unit.includes(wanted) || id === wanted || (id !== null && projects.includes(id)),
    ),
  };
}

export function foundBlocks({ units, runs }: FoundUnits, now: number): readonly Block[] {
  if (units.length === 0 && runs.length === 0) return [line('No units yet.')];
  const found = tableOf(
    'Units',
    [
      { name: 'unit', of: unitCell },
      { name: 'status', kind: 'status', of: ({ status }) => status },
      { name: 'attempts', kind: 'count', of: ({ attempts }) => attempts },
      { name: 'updated (UTC)', kind: 'time', of: ({ updated_at }) => updated_at },
      { name: 'next try (UTC)', kind: 'time', isBelow: true, of: (unit) => nextTry(unit, now) },
    ],
    units,
    { cause: { name: 'cause', of: ({ error }) => error?.message ?? null } },
  );
  return [...(runs.length === 0 ? [] : [runsTable(runs.map(runLine))]), found];
}

function failingTable(failing: StatusFacts['failing'], now: number): Table {
  return tableOf(
    'Units that fail',
    [
      { name: 'unit', of: unitCell },
      { name: 'status', kind: 'status', of: ({ status }) => status },
      { name: 'runs', kind: 'count', of: ({ failures }) => failures },
      { name: 'next try (UTC)', kind: 'time', of: (one) => nextTry(one, now) },
    ],
    failing,
    { cause: { name: 'cause', of: failureWords } },
  );
}

function failureWords({
  cause,
  project_id,
  project_name,
  updated_at,
}: StatusFacts['failing'][number]): Words {
  const whose = project_id === null ? [] : [' of ', projectCell(project_id, project_name)];
  return [`${cause ?? 'unknown reason'} (last try`, ...whose, ': ', ...moment(updated_at), ')'];
}

function nextTry(
  { status, next_try_at }: Pick<LedgerUnit, 'next_try_at'> & { readonly status: string },
  now: number,
): string | null {
  if (!FAILING.includes(status)) return null;
  return next_try_at === null || Date.parse(next_try_at) <= now ? 'next run' : next_try_at;
}

function andMore(count: number): Block[] {
  if (count < 1) return [];
  return [line([`and ${countText(count)} more: `, { value: 'crawlhouse status --json', kind: 'code' }])];
}

function projectCell(project_id: string, name: string | null): ShownValue {
  return { value: name ?? project_id, link: { to: 'project', project_id } };
}
