import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { textTable } from '../../../core/text/text-table.ts';
import type { EngineKind } from '../../../engines/engine.ts';
import type { MovedTable } from '../../../engines/moved-units.ts';
import { engineKind, engineKinds } from '../../../engines/registry.ts';
import { move as moveWarehouse } from '../../../operations/move/move.ts';
import { readDotEnv } from '../../../project/settings/command-environment.ts';
import { keepSecrets } from '../../../project/settings/keep-secrets.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import { checkYaml, readYaml } from '../../../project/settings/yaml-file.ts';
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
  summary: 'take the warehouse over to another engine, without asking the service',
  positionals: { shown: `--to ${ENGINES.join('|')}`, most: 0 },
  flags: {
    to: { value: 'ENGINE', values: ENGINES, help: ENGINES.join(' or ') },
    warehouse: {
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

/**
 * The settings of the same project with its warehouse in another engine, and another state directory until that is there:
 * nothing of the present warehouse is in it, and others don't see its ledger.
 *
 * @param given the new file, or a file with the setting `warehouse` as crawlhouse.yaml will have it
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
    throw new CrawlhouseError('bad_settings', `there is no ${file}, which says where the warehouse will be`, {
      hint: `write the setting as it will be: warehouse: {engine: ${name}, …} (docs/architecture.md)`,
    });
  const variables = { ...(await readDotEnv(projectDir)), ...environment };
  const source = await readYaml(path, file, 'bad_settings');
  const value = expand(source.value, [], source, variables);
  keepSecrets(value);
  // A file with the lines of crawlhouse.yaml that are to be.
  const schema = z.strictObject({ warehouse: setting ?? z.never() });
  return checkYaml(schema, { ...source, value }, 'bad_settings').warehouse;
}
