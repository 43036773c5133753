import { hostname } from 'node:os';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { exitCodeOf } from '../../../etl/project/model/runs/run-result.ts';
import { projectSchedules } from '../../../etl/project/settings/schedules.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { testTargets } from '../../operations/alert/test-targets.ts';
import type { Command } from '../command.ts';
import { printDocument } from '../reports/documents.ts';

export const alertsTest: Command = {
  name: 'alerts test',
  summary: 'send a test alert to each target and print each answer',
  flags: {},
  async run(invocation) {
    const { alerts, projectDir } = await invocation.settings();
    const schedules = await projectSchedules(projectDir);
    const results = await testTargets(alerts, schedules, hostname(), invocation.signal);
    if (results.length === 0) {
      throw new CrawlhouseError('bad_settings', 'there is no target for alerts', {
        hint: 'set alerts.webhook or alerts.command in crawlhouse.yaml',
      });
    }
    if (invocation.has('json')) {
      await printDocument(invocation, 'alerts-test', {
        targets: results.map(({ error, ...one }) => ({
          ...one,
          error: error && { code: error.code, message: error.message, hint: error.hint },
        })),
      });
    } else {
      const rows = results.map(({ target, users, answer, error }) => [
        error === null ? 'ok' : 'fail',
        target,
        users.join(', '),
        answer ?? error?.message ?? null,
      ]);
      await invocation.print(textTable(['', 'target', 'used by', 'answer'], rows));
    }
    return exitCodeOf(results.flatMap(({ error }) => error ?? []));
  },
};
