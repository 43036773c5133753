import { runSession } from '../../../etl/pipeline/session.ts';
import type { Explanation } from '../../../etl/pipeline/transform/build/explain-transform.ts';
import { explainTransform } from '../../../etl/pipeline/transform/build/explain-transform.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { withLineage } from '../../operations/openlineage/with-lineage.ts';
import type { Command } from '../command.ts';
import { printRun } from '../reports/run-report.ts';

const PARTITIONS_SHOWN = 3;

export const transform: Command = {
  name: 'transform',
  keepsLog: true,
  summary: 'build outdated models, test them and publish',
  positionals: { shown: '[MODEL…]', most: Number.POSITIVE_INFINITY },
  flags: {
    select: {
      multiple: true,
      value: 'MODEL',
      help: 'only this model; +MODEL adds its inputs (like the argument MODEL), MODEL+ its dependents',
    },
    full: { help: 'build the models in full, even if they are up to date' },
    explain: { help: 'only show which models and partitions would be built, and why' },
  },
  async run(invocation) {
    const given = [...invocation.positionals.map((name) => `+${name}`), ...invocation.texts('select')];
    const select = given.length > 0 ? given : undefined;
    const full = invocation.has('full');
    const { logger, signal } = invocation;
    const settings = await invocation.settings();
    if (invocation.has('explain')) {
      const models = await explainTransform(settings, { full, select, logger, signal });
      if (invocation.has('json')) await invocation.printJson({ models });
      else await invocation.print(explanationTable(models));
      return 0;
    }
    const options = { command: 'transform', settings, logger, signal, full, ...(select ? { select } : {}) };
    const result = await withLineage(settings, 'transform', logger, signal, () =>
      runSession(options, async () => ({ units: [], errors: [] })),
    );
    return printRun(invocation, settings, result, { idle: 'Nothing to build: the models are up to date.' });
  },
};

function explanationTable(models: readonly Explanation[]): string {
  const rows = models.map(({ name, kind, build, reason, behind, gone }) => [
    name,
    kind,
    build,
    reason,
    partitions(behind),
    partitions(gone),
  ]);
  return textTable(['model', 'kind', 'build', 'reason', 'partitions', 'gone'], rows);
}

function partitions(keys: readonly string[]): string {
  const shown = keys.slice(0, PARTITIONS_SHOWN).join(' ');
  return keys.length > PARTITIONS_SHOWN ? `${shown} and ${keys.length - PARTITIONS_SHOWN} more` : shown;
}
