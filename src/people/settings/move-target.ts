import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { EngineKind } from '../../engines/engine.ts';
import { readDotEnv } from '../../project/settings/command-environment.ts';
import { keepSecrets } from '../../project/settings/keep-secrets.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { checkYaml, readYaml } from '../../project/settings/yaml-file.ts';
import { expand, type Variables } from './load-settings.ts';
import { placeOf } from './warehouse-setting.ts';

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
