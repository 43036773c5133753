import { loadPipelines } from '../../config/pipelines.ts';
import { stringifyJson } from '../../core/json.ts';
import { unitName } from '../../model/unit.ts';
import { isHeld } from '../../pipeline/is-held.ts';
import { discoverUnits } from '../../pipeline/plan.ts';
import type { Command } from '../command.ts';
import { dayOf, selectedSources } from '../run-flags.ts';
import { textTable } from '../text-table.ts';

export const discover: Command = {
  name: 'discover',
  summary: 'what is finished and not yet loaded, what is still open',
  positionals: { shown: '', most: 0 },
  flags: {},
  async run(invocation) {
    const settings = await invocation.settings();
    const from = settings.since === 'all' ? Number.NEGATIVE_INFINITY : dayOf(settings.since, 'since');
    const request = {
      pipelines: await loadPipelines(settings.projectDir),
      selection: { ...selectedSources(invocation, settings), from, to: Number.POSITIVE_INFINITY },
    };
    const { plan, held } = await discoverUnits(settings, request, invocation.logger, invocation.signal);
    const units = plan.units
      .filter((one) => !isHeld(held, one))
      .map(({ unit, skip, failure }) => ({
        unit: unitName(unit),
        ...unit,
        status: failure ? 'failed' : skip === null ? 'due' : 'skipped',
        reason: failure?.message ?? skip,
      }));
    if (invocation.has('json')) {
      await invocation.write(`${stringifyJson({ units, open: plan.open }, 2)}\n`);
      return 0;
    }
    await invocation.write(
      textTable(
        ['unit', 'project', 'status', 'reason'],
        units.map((one) => [one.unit, one.source.project_id, one.status, one.reason]),
      ),
    );
    await invocation.write(
      `${units.length} units not in the warehouse, ${plan.open.length} crawls and comparisons still open\n`,
    );
    return 0;
  },
};
