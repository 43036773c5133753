import { type Check, type Finding, look } from '../../core/duckdb/check.ts';
import { describeDrift, driftHint } from '../../project/model/pipeline-drift.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { readDrift } from '../status/read-drift.ts';

/** The pipelines that have changed since units were loaded. */
export function examineDrift(settings: Settings, signal: AbortSignal): Promise<Check> {
  return look('drift', () => drift(settings), signal);
}

async function drift(settings: Settings): Promise<Finding> {
  const [first, ...others] = await readDrift(settings);
  if (first === undefined) return { message: 'every unit was loaded with the present filter and fields' };
  const rest = others.length === 0 ? '' : `; the same of ${others.map(({ dataset }) => dataset).join(', ')}`;
  return { message: `${describeDrift(first)}${rest}`, hint: driftHint(first) };
}
