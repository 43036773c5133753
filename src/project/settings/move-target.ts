import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors.ts';
import { TrinoWarehouse, trinoAddress } from '../../core/trino-address.ts';
import { readDotEnv } from './dot-env.ts';
import { keepSecrets } from './keep-secrets.ts';
import { CATALOGUE_FILE, expand, type Settings, type Variables } from './settings.ts';
import { checkYaml, readYaml } from './yaml-file.ts';

/** A file with the lines of crawlhouse.yaml that are to be. */
const TargetFile = z.strictObject({ warehouse: TrinoWarehouse });

/**
 * The settings of the same project with its warehouse in Trino, and another state directory until that is there.
 *
 * @param file the setting `warehouse` as crawlhouse.yaml will have it
 * @throws CrawlhouseError `bad_settings`
 */
export async function settingsInTrino(
  settings: Settings,
  file: string,
  environment: Variables,
): Promise<Settings> {
  const path = resolve(settings.projectDir, file);
  if (!existsSync(path))
    throw new CrawlhouseError('bad_settings', `there is no ${file}, which says where in Trino`, {
      hint: 'write the setting warehouse as it will be: warehouse: {engine: trino, …} (docs/trino.md)',
    });
  const variables = { ...(await readDotEnv(settings.projectDir)), ...environment };
  const source = await readYaml(path, file, 'bad_settings');
  const value = expand(source.value, [], source, variables);
  keepSecrets(value);
  const { warehouse } = checkYaml(TargetFile, { ...source, value }, 'bad_settings');
  const moving = movingInto(settings);
  return {
    ...moving,
    warehouse: join(moving.state_dir, CATALOGUE_FILE),
    trino: trinoAddress(warehouse, settings.projectDir),
  };
}

/** The same for a file of DuckDB. */
export function settingsInDuckDb(settings: Settings, file: string): Settings {
  return { ...movingInto(settings), warehouse: resolve(settings.projectDir, file), trino: null };
}

/** Nothing of the present warehouse is in this state directory, and others don't see its ledger. */
function movingInto(settings: Settings): Settings {
  const state_dir = join(settings.state_dir, 'moving');
  return { ...settings, state_dir, ledger: undefined, mirror: undefined };
}
