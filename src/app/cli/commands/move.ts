import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { EngineKind } from '../../../etl/engines/engine.ts';
import type { MovedTable } from '../../../etl/engines/moved-units.ts';
import { engineKind, engineKinds } from '../../../etl/engines/registry.ts';
import { readDotEnv } from '../../../etl/project/settings/command-environment.ts';
import { keepSecrets } from '../../../etl/project/settings/keep-secrets.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { checkYaml, readYaml } from '../../../etl/project/settings/yaml-file.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { moveWarehouse } from '../../operations/move/move-warehouse.ts';
import { expand, type Variables } from '../../settings/load-settings.ts';
import { placeOf } from '../../settings/warehouse-setting.ts';
import type { Command, Invocation } from '../command.ts';
import { oneOf } from '../flag-values.ts';
import { failureOf } from '../print-error.ts';
import { printErrors } from '../reports/run-report.ts';

const ENGINES = engineKinds().map(({ name }) => name);

export const move: Command = {
  name: 'move',
  keepsLog: true,
  summary: 'move the warehouse to another engine without downloading it again',
  positionals: { shown: `--to ${ENGINES.join('|')}`, most: 0 },
  flags: {
    to: { value: 'ENGINE', values: ENGINES, help: ENGINES.join(' or ') },
    warehouse: {
      value: 'F',
      help: `the new file, or a file with the new setting (${engineKinds()
        .map(({ target }) => target)
        .join(', ')})`,
    },
  },
  async run(invocation) {
    const from = await invocation.settings();
    const engine = engineOf(invocation);
    if (from.engine.engine === engine.name)
      throw new CrawlhouseError('usage', `the warehouse is already in ${engine.name}`, {
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
  const engine = engineKinds().find((kind) => kind.name === name);
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
  const lines = setting === null ? `warehouse: ${given}` : `the lines of ${given} instead of warehouse`;
  return `Both warehouses have the same rows. Now write into crawlhouse.yaml: ${lines}\nThen you can remove ${former}.\n`;
}

/**
 * Returns the settings of the same project with its warehouse in another engine, and with a separate state directory
 * until the move is complete: it contains nothing of the current warehouse, and other processes do not see its ledger.
 *
 * @param given the new warehouse file, or a file with the future `warehouse` setting of crawlhouse.yaml
 * @throws CrawlhouseError `bad_settings`
 */
export async function settingsIn(
  kind: EngineKind,
  settings: Settings,
  given: string,
  environment: Variables,
): Promise<Settings> {
  const state_dir = join(settings.state_dir, 'moving');
  const setting =
    kind.setting === null ? given : await readSetting(kind, settings.projectDir, given, environment);
  const { projectDir } = settings;
  const moving = { ...settings, state_dir, ledger: undefined, mirror: undefined };
  return { ...moving, ...placeOf(setting, { projectDir, state_dir }) };
}

async function readSetting(
  { name, setting }: EngineKind,
  projectDir: string,
  file: string,
  environment: Variables,
): Promise<unknown> {
  const path = resolve(projectDir, file);
  if (!existsSync(path))
    throw new CrawlhouseError('bad_settings', `there is no ${file} with the new location of the warehouse`, {
      hint: `write the new setting into it: warehouse: {engine: ${name}, …} (docs/architecture.md)`,
    });
  const variables = { ...(await readDotEnv(projectDir)), ...environment };
  const source = await readYaml(path, file, 'bad_settings');
  const value = expand(source.value, [], source, variables);
  keepSecrets(value);
  // A file with the future lines of crawlhouse.yaml.
  const schema = z.strictObject({ warehouse: setting ?? z.never() });
  return checkYaml(schema, { ...source, value }, 'bad_settings').warehouse;
}
