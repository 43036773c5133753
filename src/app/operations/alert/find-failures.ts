import { ERROR_CODES, type ErrorCode } from '../../../core/errors/error-codes.ts';
import { CHECK_DISK } from '../../../etl/project/model/runs/run-summary.ts';
import { detailsOf, earliest, type Incident } from './incident.ts';

export interface FailedUnit {
  readonly unit: string;
  readonly project_id: string | null;
  /** For a unit of a workspace's list. */
  readonly workspace_id?: string | null;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
  /** When it first failed, ISO 8601, UTC; null if unknown. */
  readonly failing_since: string | null;
}

/** An error of a run that belongs to no single unit. */
export interface RunFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | null | undefined;
  /** The start of the first of the consecutive runs with this failure, ISO 8601, UTC. */
  readonly failing_since?: string;
}

/** Caused by a user at the terminal, by a signal or by another process: no incident. */
const NO_INCIDENT: readonly ErrorCode[] = ['usage', 'locked', 'interrupted'];
/** Errors of units that already appear in an incident of the run, or in a row-count anomaly. */
const TOLD_BY_OTHERS: readonly ErrorCode[] = ['timed_out', 'volume_held'];

/**
 * Finds failing units, one incident for each project or workspace, and code; `isLast` is false if the run will be
 * repeated.
 */
export function findUnitFailures(
  units: readonly FailedUnit[],
  nameOf: (projectId: string) => string,
  isLast: boolean,
): Incident[] {
  const failed = units.filter(({ code }) => isIncident(code) && !TOLD_BY_OTHERS.includes(code));
  const groups = Map.groupBy(
    failed,
    ({ project_id, workspace_id, code }) => `units/${project_id ?? workspace_id ?? 'workspace'}/${code}`,
  );
  return [...groups].map(([key, [first, ...others]]) => {
    const { project_id, workspace_id, code } = first as FailedUnit;
    const count = others.length === 0 ? '1 unit' : `${others.length + 1} units`;
    const whose = project_id
      ? ` of ${nameOf(project_id)}`
      : workspace_id
        ? ` of workspace ${workspace_id}`
        : '';
    return {
      key,
      event: 'failure',
      title: `${count}${whose} failed: ${code}`,
      details: detailsOf(
        [first as FailedUnit, ...others].map(({ unit, message }) =>
          message.startsWith(unit) ? message : `${unit}: ${message}`,
        ),
      ),
      project_id,
      began: earliest([first as FailedUnit, ...others].map(({ failing_since }) => failing_since)),
      hint: (first as FailedUnit).hint,
      wait: !isLast && ERROR_CODES[code].kind === 'retriable',
    };
  });
}

/** Finds failures of a run as a whole, one incident for each code; `scope` is the schedule or command. */
export function findRunFailures(scope: string, errors: readonly RunFailure[], isLast: boolean): Incident[] {
  const failures = errors.filter(({ code }) => isIncident(code));
  return [...Map.groupBy(failures, ({ code }) => code)].map(([code, all]) => ({
    key: runKey(scope, code),
    event: 'failure',
    title: `${scope} failed: ${code}`,
    details: detailsOf([...new Set(all.map(({ message }) => message))]),
    project_id: null,
    began: all[0]?.failing_since ?? null,
    hint: all[0]?.hint ?? null,
    wait: !isLast && ERROR_CODES[code].kind === 'retriable',
  }));
}

/** Finds the damaged and changed files that the last run replaced. The next run without any ends the incident. */
export function findHealed(
  scope: string,
  healed: readonly string[] | undefined,
  began: string | null,
): Incident[] {
  if (!healed?.length) return [];
  return [
    {
      key: runKey(scope, 'healed'),
      event: 'failure',
      title: `${scope} replaced a file that was damaged or changed by another program`,
      details: detailsOf(healed),
      project_id: null,
      began,
      hint: CHECK_DISK,
    },
  ];
}

export function runKey(scope: string, code: ErrorCode | 'killed' | 'healed' | ''): string {
  return `run/${scope}/${code}`;
}

function isIncident(code: ErrorCode): boolean {
  return ERROR_CODES[code].kind !== 'skip' && !NO_INCIDENT.includes(code);
}
