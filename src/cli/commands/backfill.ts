import { loadPipelines } from '../../config/pipelines.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { type PlanReport, planRun } from '../../pipeline/plan.ts';
import { type RunRequest, run } from '../../pipeline/run.ts';
import type { Command, Invocation } from '../command.ts';
import { dayOf, RUN_FLAGS, routeWish, selectedPipelines, selectedSources } from '../run-flags.ts';
import { printRun } from '../run-report.ts';
import { textTable } from '../text-table.ts';

export const backfill: Command = {
  name: 'backfill',
  summary: 'a one-off: load what ended between two days',
  positionals: { shown: '[PIPELINE…] --from DATE --to DATE', most: Number.POSITIVE_INFINITY },
  flags: {
    from: { type: 'string', value: 'DATE', help: 'first day (UTC) on which a crawl ended' },
    to: { type: 'string', value: 'DATE', help: 'first day (UTC) no longer wanted' },
    ...RUN_FLAGS,
    reload: { type: 'boolean', help: 'load again what the warehouse holds' },
    plan: { type: 'boolean', help: 'only say what would be done' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const pipelines = selectedPipelines(invocation, await loadPipelines(settings.projectDir));
    const request: RunRequest = {
      command: 'backfill',
      pipelines,
      selection: {
        ...selectedSources(invocation, settings),
        from: day(invocation, 'from'),
        to: day(invocation, 'to'),
      },
      wish: routeWish(invocation),
      reload: invocation.has('reload'),
    };
    if (invocation.has('plan')) {
      const plan = await planRun(settings, request, invocation.logger, invocation.signal);
      await printPlan(invocation, plan);
      return 0;
    }
    return printRun(
      invocation,
      await run(settings, request, invocation.logger, invocation.signal, invocation.progress),
    );
  },
};

function day(invocation: Invocation, flag: 'from' | 'to'): number {
  const text = invocation.text(flag);
  if (text !== undefined) return dayOf(text, flag);
  throw new CrawlhouseError('usage', `--${flag} is missing`, {
    hint: 'crawlhouse backfill --from 2026-01-01 --to 2026-02-01',
  });
}

async function printPlan(invocation: Invocation, plan: PlanReport): Promise<void> {
  if (invocation.has('json')) return invocation.write(`${stringifyJson(plan, 2)}\n`);
  const rows = plan.units.map((unit) => [
    unit.unit,
    unit.route,
    unit.format,
    unit.rows,
    unit.bytes,
    unit.reason,
  ]);
  await invocation.write(textTable(['unit', 'route', 'format', 'rows', 'bytes', 'reason'], rows));
  const { totals } = plan;
  await invocation.write(`${totals.units} units, ${totals.rows} rows, ${totals.bytes ?? 'unknown'} bytes\n`);
}
