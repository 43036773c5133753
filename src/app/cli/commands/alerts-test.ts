import { hostname } from 'node:os';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { exitCodeOf } from '../../../etl/project/model/runs/run-result.ts';
import { projectSchedules } from '../../../etl/project/settings/schedules.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import type { Alert } from '../../operations/alert/alert.ts';
import { allTargets } from '../../operations/alert/targets.ts';
import type { Command } from '../command.ts';
import { printDocument } from '../reports/documents.ts';

export const alertsTest: Command = {
  name: 'alerts test',
  summary: 'send a test alert to each target and print each answer',
  flags: {},
  async run(invocation) {
    const { alerts, projectDir } = await invocation.settings();
    const targets = allTargets(alerts, await projectSchedules(projectDir));
    if (targets.length === 0) {
      throw new CrawlhouseError('bad_settings', 'there is no target for alerts', {
        hint: 'set alerts.webhook or alerts.command in crawlhouse.yaml',
      });
    }
    const alert = testAlert(new Date().toISOString());
    const results = await Promise.all(
      targets.map(async ({ target, users }) => {
        try {
          return {
            target: target.name,
            users,
            answer: await target.send(alert, invocation.signal),
            error: null,
          };
        } catch (thrown) {
          invocation.signal.throwIfAborted();
          return { target: target.name, users, answer: null, error: toCrawlhouseError(thrown) };
        }
      }),
    );
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

function testAlert(at: string): Alert {
  return {
    event: 'test',
    incident: 'test',
    title: `a test alert from ${hostname()}`,
    details: ['Nothing is wrong: somebody ran crawlhouse alerts test.'],
    hint: null,
    project_id: null,
    scope: 'alerts test',
    run_id: null,
    since: at,
    at,
  };
}
