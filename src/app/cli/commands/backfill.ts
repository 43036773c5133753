import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { type RunRequest, run } from '../../../etl/pipeline/run.ts';
import { isCrawlFolder } from '../../../etl/project/settings/settings.ts';
import { withLineage } from '../../operations/openlineage/with-lineage.ts';
import { runWithoutAccount } from '../account/no-account.ts';
import type { Command, Invocation } from '../command.ts';
import { printPlan } from '../reports/print-plan.ts';
import { printRun } from '../reports/run-report.ts';
import { dayOf, nothingNew, openEvents, RUN_FLAGS, requestOf } from '../run-flags.ts';

export const backfill: Command = {
  name: 'backfill',
  keepsLog: true,
  summary: 'load the crawls that ended between two days, once',
  positionals: { shown: '[PIPELINE…] --from DATE --to DATE', most: Number.POSITIVE_INFINITY },
  flags: {
    from: { value: 'DATE', help: 'first day (UTC) on which a crawl ended' },
    to: { value: 'DATE', help: 'first day (UTC) after the range' },
    ...RUN_FLAGS,
    reload: { help: 'load units again, even if they are already loaded' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const request: RunRequest = {
      command: 'backfill',
      ...(await requestOf(invocation, settings, period(invocation))),
      reload: invocation.has('reload'),
    };
    if (isCrawlFolder(settings)) return await runWithoutAccount(invocation, settings, 'backfill');
    if (invocation.has('plan')) return await printPlan(invocation, settings, request);
    using events = await openEvents(invocation, settings);
    const { logger, signal, progress } = invocation;
    const result = await withLineage(settings, 'backfill', logger, signal, () =>
      run(settings, { ...request, events: events.write }, logger, signal, progress),
    );
    return printRun(invocation, settings, result, { idle: nothingNew(invocation) });
  },
};

const DAY_MS = 86_400_000;

/** From the first day to the day after the last, in UTC milliseconds. */
function period(invocation: Invocation): { readonly from: number; readonly to: number } {
  const [from, to] = [day(invocation, 'from'), day(invocation, 'to')];
  if (from < to) return { from, to };
  const [first, last] = from === to ? [from, to + DAY_MS] : [to, from];
  throw new CrawlhouseError('usage', `--from ${dayText(from)} is not before --to ${dayText(to)}`, {
    hint: `crawlhouse backfill --from ${dayText(first)} --to ${dayText(last)}; --to is the first day that is not loaded`,
  });
}

function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function day(invocation: Invocation, flag: 'from' | 'to'): number {
  const text = invocation.text(flag);
  if (text !== undefined) return dayOf(text, flag);
  throw new CrawlhouseError('usage', `--${flag} is missing`, {
    hint: 'crawlhouse backfill --from 2026-01-01 --to 2026-02-01',
  });
}
