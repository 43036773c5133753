import { type Check, errorsOf } from '../../doctor/check.ts';
import { examine } from '../../doctor/examine.ts';
import { exitCodeOf } from '../../model/run-status.ts';
import type { Command } from '../command.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'check settings, token, stores, disk and versions, and say what to do',
  positionals: { shown: '', most: 0 },
  flags: {},
  async run(invocation) {
    const { logger, signal } = invocation;
    const checks = await examine(invocation.projectDir(), () => invocation.settings(), logger, signal);
    if (invocation.has('json')) await invocation.printJson({ status: worst(checks), checks });
    else await invocation.print(checks.map(describe).join(''));
    return exitCodeOf(errorsOf(checks));
  },
};

function worst(checks: readonly Check[]): Check['status'] {
  return (['fail', 'warn'] as const).find((status) => checks.some((one) => one.status === status)) ?? 'ok';
}

function describe({ name, status, message, hint }: Check): string {
  return `${status.padEnd(4)}  ${name.padEnd(10)}  ${message}\n${hint === null ? '' : `      Try: ${hint}\n`}`;
}
