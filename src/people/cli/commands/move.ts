import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { textTable } from '../../../core/text/text-table.ts';
import type { EngineKind } from '../../../engines/engine.ts';
import type { MovedTable } from '../../../engines/moved-units.ts';
import { engineKind, engineKinds } from '../../../engines/registry.ts';
import { move as moveWarehouse } from '../../../operations/move/move.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import { settingsIn } from '../../settings/move-target.ts';
import type { Command, Invocation } from '../command.ts';
import { oneOf } from '../flag-values.ts';
import { failureOf } from '../print-error.ts';
import { printErrors } from '../reports/run-report.ts';

const ENGINES = engineKinds().map(({ name }) => name);

export const move: Command = {
  name: 'move',
  keepsLog: true,
  summary: 'take the warehouse over to another engine, without asking the service',
  positionals: { shown: `--to ${ENGINES.join('|')}`, most: 0 },
  flags: {
    to: { type: 'string', value: 'ENGINE', values: ENGINES, help: ENGINES.join(' or ') },
    warehouse: {
      type: 'string',
      value: 'F',
      help: `the new file, or one with the setting as it will be (${engineKinds()
        .map(({ target }) => target)
        .join(', ')})`,
    },
  },
  async run(invocation) {
    const from = await invocation.settings();
    const engine = engineOf(invocation);
    if (from.engine.engine === engine.name)
      throw new CrawlhouseError('usage', `the warehouse is in ${engine.name} already`, {
        hint: 'crawlhouse config',
      });
    const given = invocation.text('warehouse') ?? engine.target;
    const to = await settingsIn(engine, from, given, process.env);
    const { logger, signal, progress } = invocation;
    const { result, tables } = await moveWarehouse({ from, to, logger, signal, progress });
    await print(invocation, tables, {
      to: engine.name,
      ...result.report,
      tables,
      error: failureOf(result.errors, result.exitCode),
    });
    if (result.errors.length === 0) invocation.say(next(engine, given, from));
    return printErrors(invocation, result);
  },
};

/** @throws CrawlhouseError `usage` */
function engineOf(invocation: Invocation): EngineKind {
  const name = oneOf(invocation, 'to', ENGINES);
  const engine = engineKinds().find((one) => one.name === name);
  if (engine !== undefined) return engine;
  throw new CrawlhouseError('usage', '--to is missing', { hint: `--to ${ENGINES.join(', --to ')}` });
}

async function print(invocation: Invocation, tables: readonly MovedTable[], document: object): Promise<void> {
  if (invocation.has('json')) return await invocation.printJson(document);
  if (tables.length > 0)
    await invocation.print(
      textTable(
        ['table', 'units', 'rows'],
        tables.map(({ name, units, rows }) => [name, units, rows]),
      ),
    );
}

function next({ setting }: EngineKind, given: string, from: Settings): string {
  const former = engineKind(from.engine).describe(from).removable;
  const lines = setting === null ? `warehouse: ${given}` : `the lines of ${given} in the place of warehouse`;
  return `Both sides have the same rows. Now write into crawlhouse.yaml: ${lines}\nThen ${former} may be removed.\n`;
}
