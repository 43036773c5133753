import { errorsOf } from '../../../core/check.ts';
import { examine } from '../../../operations/doctor/examine.ts';
import { exitCodeOf } from '../../../project/model/run-status.ts';
import type { Command } from '../command.ts';
import { describeChecks, worst } from '../doctor-report.ts';
import { failureOf } from '../print-error.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'check settings, token, stores, disk and versions, and say what to do',
  positionals: { shown: '', most: 0 },
  flags: {},
  async run(invocation) {
    const { logger, signal } = invocation;
    const checks = await examine(invocation.projectDir(), () => invocation.settings(), logger, signal);
    const errors = errorsOf(checks);
    const code = exitCodeOf(errors);
    if (invocation.has('json'))
      await invocation.printJson({ status: worst(checks), checks, error: failureOf(errors, code) });
    else await invocation.print(describeChecks(checks));
    return code;
  },
};
