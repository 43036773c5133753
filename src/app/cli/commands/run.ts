import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { run as runPipelines } from '../../../etl/pipeline/run.ts';
import { isCrawlFolder } from '../../../etl/project/settings/settings.ts';
import { withAlerts } from '../../operations/alert/with-alerts.ts';
import { withLineage } from '../../operations/openlineage/with-lineage.ts';
import { runWithoutAccount } from '../account/no-account.ts';
import type { Command, Invocation } from '../command.ts';
import { printPlan, sayFirstPlan } from '../reports/print-plan.ts';
import { printRun } from '../reports/run-report.ts';
import { nothingNew, openEvents, RUN_FLAGS, requestOf } from '../run-flags.ts';

export const run: Command = {
  name: 'run',
  keepsLog: true,
  summary: 'load all due units, from discovery to the published warehouse',
  positionals: { shown: '[PIPELINE…]', most: Number.POSITIVE_INFINITY },
  flags: {
    ...RUN_FLAGS,
    reload: { help: 'load the crawls of --crawl again, even if they are already loaded' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const request = {
      command: 'run',
      ...(await requestOf(invocation, settings)),
      reload: reloads(invocation),
    };
    if (isCrawlFolder(settings)) return await runWithoutAccount(invocation, settings, 'run');
    if (invocation.has('plan')) return await printPlan(invocation, settings, request);
    const planned = await sayFirstPlan(invocation, settings, request);
    using events = await openEvents(invocation, settings);
    const { logger, signal, progress } = invocation;
    const watch = { scope: 'run', alerts: settings.alerts, isLast: true, now: Date.now };
    const result = await withLineage(settings, 'run', logger, signal, () =>
      withAlerts(
        settings,
        watch,
        {
          plan: () => request,
          run: () =>
            runPipelines(settings, { ...request, planned, events: events.write }, logger, signal, progress),
        },
        logger,
        signal,
      ),
    );
    return printRun(invocation, settings, result, { idle: nothingNew(invocation) });
  },
};

/**
 * Returns whether to reload. Without crawl ids, a reload would load everything again; `backfill` does this within a
 * period.
 */
function reloads(invocation: Invocation): boolean {
  if (invocation.has('reload') && invocation.texts('crawl').length === 0)
    throw new CrawlhouseError('usage', '--reload needs --crawl', {
      hint: 'crawlhouse run --crawl ID --reload or, for a range of dates, crawlhouse backfill --from DATE --to DATE --reload',
    });
  return invocation.has('reload');
}
