import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadPipelines } from '../../config/pipelines.ts';
import { loadSchedules } from '../../config/schedules.ts';
import type { Settings } from '../../config/settings.ts';
import { stringifyJson } from '../../core/json.ts';
import {
  type Discovery,
  Ledger,
  type LedgerExport,
  type LedgerRun,
  type LedgerUnit,
} from '../../ledger/ledger.ts';
import { ledgerTables } from '../../pipeline/ledger-tables.ts';
import { readPublished } from '../../pipeline/read-published.ts';
import { upcoming } from '../../schedule/upcoming.ts';
import type { Command } from '../command.ts';
import { textTable } from '../text-table.ts';

interface Standing {
  readonly discovery: Discovery;
  readonly units: readonly LedgerUnit[];
  readonly runs: readonly LedgerRun[];
  readonly exports: readonly LedgerExport[];
}

export const status: Command = {
  name: 'status',
  summary: 'units, runs, discovery and next firings',
  positionals: { shown: '[UNIT]', most: 1 },
  flags: {},
  async run(invocation) {
    const [wanted] = invocation.positionals;
    const settings = await invocation.settings();
    const standing = await readStanding(settings);
    const schedules = await nextFirings(settings.projectDir);
    const units = standing.units.filter((unit) => wanted === undefined || unit.unit.includes(wanted));
    if (invocation.has('json')) {
      const { discovery, runs, exports } = standing;
      await invocation.write(`${stringifyJson({ discovery, units, exports, runs, schedules }, 2)}\n`);
      return 0;
    }
    await invocation.write(
      textTable(
        ['unit', 'status', 'attempts', 'updated', 'error'],
        units.map((unit) => [
          unit.unit,
          unit.status,
          unit.attempts,
          unit.updated_at,
          unit.error?.message ?? null,
        ]),
      ),
    );
    if (wanted !== undefined) return 0;
    await invocation.write('\n');
    await invocation.write(
      textTable(
        ['run', 'command', 'status', 'started', 'ended'],
        standing.runs.map((run) => [
          run.run_id.slice(0, 8),
          run.command,
          run.status,
          run.started_at,
          run.ended_at,
        ]),
      ),
    );
    const { open, swept_at } = standing.discovery;
    await invocation.write(`\n${open.length} crawls open${swept_at ? `, lists read at ${swept_at}` : ''}\n`);
    for (const { name, next_at } of schedules) {
      await invocation.write(`schedule ${name}: ${next_at ? `next at ${next_at}` : 'never again'}\n`);
    }
    return 0;
  },
};

async function nextFirings(projectDir: string): Promise<ReturnType<typeof upcoming>> {
  const pipelines = await loadPipelines(projectDir);
  const datasets = pipelines.map((one) => one.dataset);
  return upcoming(await loadSchedules(projectDir, datasets), Date.now());
}

/** From the ledger, or, where `.crawlhouse/` was deleted, from the published warehouse. */
async function readStanding(settings: Settings): Promise<Standing> {
  if (existsSync(join(settings.state_dir, 'ledger.sqlite'))) {
    using ledger = new Ledger(settings.state_dir);
    return {
      discovery: ledger.discovery(),
      units: ledger.units(),
      runs: ledger.runs(),
      exports: ledger.exports(),
    };
  }
  const tables = await readPublished(settings, ledgerTables);
  const discovery = { open: [], swept_at: null };
  return { discovery, units: tables?.units ?? [], runs: tables?.runs ?? [], exports: [] };
}
