import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { reportPlan } from '../../../etl/pipeline/plan.ts';
import type { RunRequest } from '../../../etl/pipeline/run.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { readDrift } from '../../../etl/state/catalog/pipeline-drift.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { firstPlanBlocks, planBlocks, planFacts } from '../../operations/status/plan-blocks.ts';
import { driftBlocks } from '../../operations/status/run-blocks.ts';
import type { Invocation } from '../command.ts';
import { printDocument } from './documents.ts';

/** Prints what a run would do, without doing it. */
export async function printPlan(
  invocation: Invocation,
  settings: Settings,
  request: RunRequest,
): Promise<number> {
  const plan = await reportPlan(settings, request, invocation.logger, invocation.signal);
  const drift = await readDrift(settings);
  const blocks = [...planBlocks(planFacts(plan)), ...driftBlocks(drift)];
  if (invocation.has('json')) await printDocument(invocation, 'plan', { ...plan, drift });
  else await invocation.print(printBlocks(blocks, { width: invocation.terminal?.width }));
  return 0;
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/**
 * Prints what a first run is about to load, because that run may take a long time.
 *
 * @returns the rows of each unit that the plan has counted
 */
export async function sayFirstPlan(
  invocation: Invocation,
  settings: Settings,
  request: RunRequest,
): Promise<ReadonlyMap<string, number>> {
  const begun = existsSync(settings.warehouse) || existsSync(join(settings.state_dir, 'work.duckdb'));
  if (begun || invocation.has('quiet')) return NOTHING;
  try {
    const counted = { ...request, countsOnly: true };
    const plan = await reportPlan(settings, counted, invocation.logger, invocation.signal);
    invocation.say(printBlocks(firstPlanBlocks(planFacts(plan), settings.since)));
    return new Map(plan.units.flatMap(({ unit, rows }) => (rows === null ? [] : [[unit, rows]])));
  } catch (thrown) {
    // The run meets the same errors and signals, and reports them.
    invocation.logger.debug('no plan', { error: toCrawlhouseError(thrown).message });
    return NOTHING;
  }
}
