import { stringifyJson } from '../../core/json.ts';
import { redact } from '../../core/redact.ts';
import { type Check, errorsOf } from '../../doctor/check.ts';
import { examine } from '../../doctor/examine.ts';
import { exitCodeOf } from '../../pipeline/run-status.ts';
import type { Command } from '../command.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'checks settings, token, stores, disk and versions; says what to do',
  positionals: { shown: '', most: 0 },
  flags: {},
  async run(invocation) {
    const { logger, signal } = invocation;
    const checks = await examine(invocation.projectDir(), () => invocation.settings(), logger, signal);
    const text = invocation.has('json')
      ? `${stringifyJson({ status: worst(checks), checks }, 2)}\n`
      : checks.map(describe).join('');
    await invocation.write(redact(text));
    return exitCodeOf(errorsOf(checks));
  },
};

function worst(checks: readonly Check[]): Check['status'] {
  return (['fail', 'warn'] as const).find((status) => checks.some((one) => one.status === status)) ?? 'ok';
}

function describe({ name, status, message, hint }: Check): string {
  return `${status.padEnd(4)}  ${name.padEnd(10)}  ${message}\n${hint === null ? '' : `      Try: ${hint}\n`}`;
}
