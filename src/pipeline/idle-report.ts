import type { UnitError, UnitReport, UnitStatus } from '../model/report.ts';
import { type Unit, unitName } from '../model/unit.ts';

export const NO_COUNTS: UnitReport['counts'] = {
  reported: null,
  received: null,
  staged: null,
  rejected: null,
  loaded: null,
  queryable: null,
};

/** The report of a unit that nothing was asked of. */
export function idleReport(unit: Unit, status: UnitStatus, error: UnitError): UnitReport {
  return {
    unit: unitName(unit),
    dataset: unit.dataset,
    source: unit.source,
    window: unit.window,
    route: null,
    format: null,
    reason: null,
    status,
    counts: NO_COUNTS,
    bytes: null,
    seconds: 0,
    attempts: 0,
    error,
  };
}
