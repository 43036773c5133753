import { counted } from '../../../core/text/amounts.ts';
import { discoverUnits } from '../../../etl/pipeline/plan.ts';
import { loadPipelines } from '../../../etl/project/settings/pipelines.ts';
import { isLoaded } from '../../../etl/state/catalog/ops/ops-loads.ts';
import { readDrift } from '../../../etl/state/catalog/pipeline-drift.ts';
import { projectText } from '../../../etl/state/catalog/raw/raw-projects.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { driftBlocks } from '../../operations/status/run-blocks.ts';
import { saysNoAccount } from '../account/no-account.ts';
import type { Command } from '../command.ts';
import { printDocument } from '../reports/documents.ts';
import { selectedSources } from '../run-flags.ts';

export const discover: Command = {
  name: 'discover',
  summary: 'list finished crawls that are not loaded, and open crawls',
  flags: {},
  async run(invocation) {
    const settings = await invocation.settings();
    const request = {
      pipelines: await loadPipelines(settings.projectDir),
      selection: selectedSources(invocation, settings),
    };
    if (saysNoAccount(invocation, settings)) {
      if (invocation.has('json'))
        await printDocument(invocation, 'discover', {
          units: [],
          open: [],
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
    const units = plan.tasks
      .filter((task) => !isLoaded(loaded, task))
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
