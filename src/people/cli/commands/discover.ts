import { counted } from '../../../core/text/amounts.ts';
import { textTable } from '../../../core/text/text-table.ts';
import { driftBlocks } from '../../../operations/status/run-blocks.ts';
import { discoverUnits } from '../../../pipeline/plan.ts';
import { loadPipelines } from '../../../project/settings/pipelines.ts';
import { isLoaded } from '../../../state/catalogue/ops/ops-loads.ts';
import { readDrift } from '../../../state/catalogue/pipeline-drift.ts';
import { projectText } from '../../../state/catalogue/raw/raw-projects.ts';
import { saysNoAccount } from '../account/no-account.ts';
import type { Command } from '../command.ts';
import { printDocument } from '../reports/documents.ts';
import { printBlocks } from '../reports/print-blocks.ts';
import { dayOf, selectedSources } from '../run-flags.ts';

export const discover: Command = {
  name: 'discover',
  summary: 'list finished crawls that are not loaded, and crawls that are still open',
  flags: {},
  async run(invocation) {
    const settings = await invocation.settings();
    const from = settings.since === 'all' ? Number.NEGATIVE_INFINITY : dayOf(settings.since, 'since');
    const request = {
      pipelines: await loadPipelines(settings.projectDir),
      selection: { ...selectedSources(invocation, settings), from, to: Number.POSITIVE_INFINITY },
    };
    if (saysNoAccount(invocation, settings)) {
      if (invocation.has('json'))
        await printDocument(invocation, 'discover', {
          ...{ units: [], open: [] },
          drift: await readDrift(settings),
        });
      return 0;
    }
    const { plan, loaded, names } = await discoverUnits(
      settings,
      request,
      invocation.logger,
      invocation.signal,
    );
    const units = plan.units
      .filter((one) => !isLoaded(loaded, one))
      .map(({ unit, name, skip, failure }) => ({
        unit: name,
        ...unit,
        status: failure ? ('failed' as const) : skip === null ? ('due' as const) : ('skipped' as const),
        reason: failure?.message ?? skip,
      }));
    const drift = await readDrift(settings);
    if (invocation.has('json')) {
      await printDocument(invocation, 'discover', { units, open: plan.open, drift });
      return 0;
    }
    await invocation.print(
      textTable(
        ['unit', 'project', 'status', 'reason'],
        units.map(({ unit, source: { project_id: id }, status, reason }) => [
          unit,
          id === null ? null : projectText(id, names),
          status,
          reason,
        ]),
      ),
    );
    await invocation.print(
      `${counted(units.length, 'unit')} not in the warehouse, ${plan.open.length} of the crawls and comparisons still open\n`,
    );
    await invocation.print(printBlocks(driftBlocks(drift)));
    return 0;
  },
};
