import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { type Unit, unitName } from '../unit.ts';
import { COUNTS } from './counts.ts';
import type { UnitError, UnitReport, UnitStatus } from './report.ts';

const NO_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, null])) as UnitReport['counts'];

/** The known facts about a unit's rows and work; empty if nothing was requested. */
export type UnitFacts = Partial<
  Pick<UnitReport, 'route' | 'format' | 'reason' | 'counts' | 'bytes' | 'seconds' | 'attempts'>
>;

export function unitReport(
  unit: Unit,
  status: UnitStatus,
  error: UnitError | null,
  facts: UnitFacts = {},
): UnitReport {
  return {
    unit: unitName(unit),
    dataset: unit.dataset,
    source: unit.source,
    window: unit.window,
    route: null,
    format: null,
    reason: null,
    counts: NO_COUNTS,
    bytes: null,
    seconds: 0,
    attempts: 0,
    ...facts,
    status,
    error,
  };
}

/** An error as reports and the ledger show it. */
export function reportedError({ code, message, hint }: CrawlhouseError): NonNullable<UnitError> {
  return { code, message, hint };
}
