import type { Check } from '../../../core/duckdb/check.ts';

export function worst(checks: readonly Check[]): Check['status'] {
  return (
    (['fail', 'warn'] as const).find((status) => checks.some((check) => check.status === status)) ?? 'ok'
  );
}

/** Returns the doctor's findings: one line per check, followed by its hint. */
export function describeChecks(checks: readonly Check[]): string {
  return checks.map(describe).join('');
}

function describe({ name, status, message, hint }: Check): string {
  return `${status.padEnd(4)}  ${name.padEnd(10)}  ${message}\n${hint === null ? '' : `      Try: ${hint}\n`}`;
}
