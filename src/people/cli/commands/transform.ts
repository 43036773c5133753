import { textTable } from '../../../core/text/text-table.ts';
import { withLineage } from '../../../operations/openlineage/with-lineage.ts';
import { runSession } from '../../../pipeline/session.ts';
import type { Explanation } from '../../../pipeline/transform/build/explain-transform.ts';
import { explainTransform } from '../../../pipeline/transform/build/explain-transform.ts';
import type { Command } from '../command.ts';
import { printRun } from '../reports/run-report.ts';

const PARTITIONS_SHOWN = 3;

export const transform: Command = {
  name: 'transform',
  keepsLog: true,
  summary: 'build the models that are behind, test them and publish',
  positionals: { shown: '[MODEL…]', most: Number.POSITIVE_INFINITY },
  flags: {
    select: {
      multiple: true,
      value: 'MODEL',
      help: 'only this model; +MODEL: with what it reads (as a MODEL without the flag); MODEL+: with what reads it',
    },
    full: { help: 'make them as a whole, behind or not' },
    explain: { help: 'only say what would be made, why, and which partitions' },
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
