import { CrawlhouseError } from '../../../core/errors.ts';
import { textTable } from '../../../core/text-table.ts';
import type { MovedTable } from '../../../engines/compare-moved.ts';
import { move as moveWarehouse } from '../../../pipeline/move.ts';
import { settingsInDuckDb, settingsInTrino } from '../../../project/settings/move-target.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import type { Command, Invocation } from '../command.ts';
import { failureOf } from '../print-error.ts';
import { printErrors } from '../run-report.ts';

const ENGINES = ['duckdb', 'trino'] as const;
type Engine = (typeof ENGINES)[number];
/** Where the warehouse is to be, unless `--warehouse` says so. */
const TARGETS: Readonly<Record<Engine, string>> = { duckdb: 'warehouse.duckdb', trino: 'trino.yaml' };

export const move: Command = {
  name: 'move',
  keepsLog: true,
  summary: 'take the warehouse over to another engine, without asking the service',
  positionals: { shown: '--to duckdb|trino', most: 0 },
  flags: {
    to: { type: 'string', value: 'ENGINE', values: ENGINES, help: 'duckdb or trino' },
    warehouse: {
      type: 'string',
      value: 'F',
      help: 'the new file (warehouse.duckdb); of Trino: a file with the setting as it will be (trino.yaml)',
    },
  },
  async run(invocation) {
    const from = await invocation.settings();
    const engine = engineOf(invocation);
    if ((from.trino === null) === (engine === 'duckdb'))
      throw new CrawlhouseError('usage', `the warehouse is in ${engine} already`, {
        hint: 'crawlhouse config',
      });
    const given = invocation.text('warehouse') ?? TARGETS[engine];
    const to =
      engine === 'duckdb' ? settingsInDuckDb(from, given) : await settingsInTrino(from, given, process.env);
    const { logger, signal, progress } = invocation;
    const { result, tables } = await moveWarehouse({ from, to, logger, signal, progress });
    await print(invocation, tables, {
      to: engine,
      ...result.report,
      tables,
      error: failureOf(result.errors, result.exitCode),
    });
    if (result.errors.length === 0) invocation.say(next(engine, given, from));
    return printErrors(invocation, result);
  },
};

/** @throws CrawlhouseError `usage` */
function engineOf(invocation: Invocation): Engine {
  const text = invocation.text('to');
  const engine = ENGINES.find((one) => one === text);
  if (engine !== undefined) return engine;
  throw new CrawlhouseError('usage', text === undefined ? '--to is missing' : `--to: ${text} does not work`, {
    hint: `--to ${ENGINES.join(', --to ')}`,
  });
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

function next(engine: Engine, given: string, from: Settings): string {
  const former = from.trino === null ? from.warehouse : 'the schemas and the bucket of Trino';
  const lines =
    engine === 'duckdb' ? `warehouse: ${given}` : `the lines of ${given} in the place of warehouse`;
  return `Both sides have the same rows. Now write into crawlhouse.yaml: ${lines}\nThen ${former} may be removed.\n`;
}
