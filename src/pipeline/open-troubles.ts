import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findThin } from '../alert/few-rows.ts';
import { findRunFailures, findUnitFailures, type RunFailure } from '../alert/find-failures.ts';
import { findStale } from '../alert/find-stale.ts';
import type { Trouble } from '../alert/trouble.ts';
import type { Settings } from '../config/settings.ts';
import { LEDGER_FILE, Ledger, type LedgerRun } from '../ledger/ledger.ts';
import { alertFacts } from './alert-facts.ts';

/** So many last runs are looked at for when a failure began. */
const RUNS = 1000;

/**
 * What is wrong now, as alerts are made of it, whether anybody was told or not (docs/alerts.md): what began first comes
 * first. Reads ledger and published warehouse only, at any time.
 */
export async function openTroubles(settings: Settings, now: number): Promise<readonly Trouble[]> {
  if (!existsSync(join(settings.state_dir, LEDGER_FILE))) return [];
  const facts = await alertFacts(settings);
  const nameOf = (id: string): string => facts.names.get(id) ?? id;
  const stale = findStale(
    facts.rhythms.filter(
      ({ project_id, name }) =>
        settings.projects === 'all' ||
        settings.projects.includes(project_id) ||
        settings.projects.includes(name),
    ),
    now,
  );
  return [
    ...findRunFailures('run', runFailures(lastRuns(settings.state_dir)), true),
    ...findUnitFailures(facts.failed, nameOf, true),
    ...findThin(facts.thin, nameOf),
    ...stale.filter(({ wait }) => wait !== true),
  ].toSorted((a, b) => (a.began ?? '').localeCompare(b.began ?? ''));
}

/** What the last run failed of as a whole, with the time since when each run has. */
export function runFailures(newestFirst: readonly LedgerRun[]): readonly RunFailure[] {
  const ended = newestFirst.filter(({ command, summary }) => command === 'run' && summary !== null);
  const well = ended.findIndex(({ summary }) => !summary?.failure);
  const failing = well < 0 ? ended : ended.slice(0, well);
  const [last] = failing;
  if (!last?.summary?.failure) return [];
  return [{ ...last.summary.failure, failing_since: failing.at(-1)?.started_at ?? last.started_at }];
}

function lastRuns(stateDir: string): readonly LedgerRun[] {
  using ledger = new Ledger(stateDir);
  return ledger.runs(RUNS);
}
