import type { Check } from '../../../core/duckdb/check.ts';

export function worst(checks: readonly Check[]): Check['status'] {
  return (['fail', 'warn'] as const).find((status) => checks.some((one) => one.status === status)) ?? 'ok';
}

/** The doctor's findings: a line for each check, with the hint below it. */
export function describeChecks(checks: readonly Check[]): string {
  return checks.map(describe).join('');
}

function describe({ name, status, message, hint }: Check): string {
  return `${status.padEnd(4)}  ${name.padEnd(10)}  ${message}\n${hint === null ? '' : `      Try: ${hint}\n`}`;
}
