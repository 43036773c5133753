import { join, resolve } from 'node:path';
import { z } from 'zod';
import { Given } from '../../core/text/setting-types.ts';
import type { EngineKind } from '../../etl/engines/engine.ts';
import { engineKind, engineKinds } from '../../etl/engines/registry.ts';
import type { Settings } from '../../etl/project/settings/settings.ts';
import { settingsFile } from '../../etl/project/settings/settings-file.ts';

/** The published catalog of a warehouse with remote rows, in the state directory. */
const CATALOG_FILE = 'catalogue.duckdb';

const engineSettings = engineKinds().flatMap(({ setting }) => setting ?? []);
const named = engineKinds().filter(({ setting }) => setting !== null);
const forms = named.map(({ name }) => `{engine: ${name}, …}`).join(' or ');

/** A path or, for rows in another engine, the settings of that engine. */
const WarehouseSetting = z
  .union([Given, ...engineSettings], {
    error: ({ input }) =>
      typeof input === 'object' && input !== null ? undefined : `a path or ${forms} is expected`,
  })
  .default('warehouse.duckdb')
  .describe(
    `The published warehouse: a path, or where it is in ${named.map(({ title }) => title).join(' or ')}.`,
  );

export type WarehousePlace = Pick<Settings, 'warehouse' | 'engine'>;

/** @param setting a value that `WarehouseSetting`, or the schema of one engine, has accepted */
export function placeOf(
  setting: unknown,
  { projectDir, state_dir }: Pick<Settings, 'projectDir' | 'state_dir'>,
): WarehousePlace {
  const kind = kindOf(setting);
  const engine = kind.address(setting, projectDir);
  return {
    warehouse: kind.remote === null ? resolve(projectDir, String(setting)) : join(state_dir, CATALOG_FILE),
    engine,
  };
}

/** Returns the engine of a valid setting; a path means DuckDB. */
function kindOf(setting: unknown): EngineKind {
  const named = typeof setting === 'object' && setting !== null ? (setting as { engine: string }) : undefined;
  return engineKind(named ?? { engine: 'duckdb' });
}

/** Every setting, as written in crawlhouse.yaml; its texts are the reference and the editor's help. */
export const SettingsFile = settingsFile(WarehouseSetting);
