import { count } from '../../../core/logs/telemetry.ts';
import type { UnitReport } from './report.ts';

/** A unit's attributes in telemetry (docs/operate.md). */
export function unitAttributes({ status, route, format, attempts, bytes, counts }: UnitReport) {
  return {
    status,
    attempts,
    route: route ?? undefined,
    format: format ?? undefined,
    bytes: bytes ?? undefined,
    rows: counts.loaded ?? undefined,
  };
}

/** Adds a unit to the counters of telemetry. */
export function countUnit({ dataset, status, bytes, counts }: UnitReport): void {
  count('units', 1, { dataset, status });
  count('rows', counts.loaded ?? 0, { dataset });
  count('bytes', bytes ?? 0, { dataset });
}
