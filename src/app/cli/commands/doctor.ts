import { errorsOf } from '../../../core/duckdb/check.ts';
import { exitCodeOf } from '../../../etl/project/model/runs/run-result.ts';
import { examine } from '../../operations/doctor/examine.ts';
import { describeUpgrade, examineUpgrade } from '../../operations/doctor/examine-upgrade.ts';
import type { Command } from '../command.ts';
import { failureOf } from '../print-error.ts';
import { describeChecks, worst } from '../reports/doctor-report.ts';
import { printDocument } from '../reports/documents.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'check settings, token, stores, disk and versions, and show what to do',
  flags: { upgrade: { help: 'only show what the next run of this version would change in the warehouse' } },
  async run(invocation) {
    const { logger, signal } = invocation;
    if (invocation.has('upgrade')) {
      const upgrade = await examineUpgrade(await invocation.settings());
      if (invocation.has('json')) await printDocument(invocation, 'doctor-upgrade', upgrade);
      else await invocation.print(describeUpgrade(upgrade));
      return 0;
    }
    const checks = await examine(invocation.projectDir(), () => invocation.settings(), logger, signal);
    const errors = errorsOf(checks);
    const code = exitCodeOf(errors);
    if (invocation.has('json'))
      await printDocument(invocation, 'doctor', {
        status: worst(checks),
        checks,
        error: failureOf(errors, code),
      });
    else await invocation.print(describeChecks(checks));
    return code;
  },
};
