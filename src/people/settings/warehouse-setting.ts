import { join, resolve } from 'node:path';
import { z } from 'zod';
import { Given } from '../../core/text/setting-types.ts';
import type { EngineKind } from '../../engines/engine.ts';
import { engineKind, engineKinds } from '../../engines/registry.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { settingsFile } from '../../project/settings/settings-file.ts';

/** The published catalogue of a warehouse whose rows are remote, in the state directory. */
const CATALOGUE_FILE = 'catalogue.duckdb';

const engineSettings = engineKinds().flatMap(({ setting }) => setting ?? []);
const named = engineKinds().filter(({ setting }) => setting !== null);
const forms = named.map(({ name }) => `{engine: ${name}, …}`).join(' or ');

/** A path, or where the rows are in another engine, which names its own schema. */
const WarehouseSetting = z
  .union([Given, ...engineSettings], {
    error: ({ input }) =>
      typeof input === 'object' && input !== null ? undefined : `a path or ${forms} is expected`,
  })
  .default('warehouse.duckdb')
  .describe(
    `The published warehouse: a path, or where it is in ${named.map(({ title }) => title).join(' or ')}.`,
  );

/** Where the warehouse is, and in what engine. */
export type WarehousePlace = Pick<Settings, 'warehouse' | 'engine'>;

/** @param setting what `WarehouseSetting`, or the schema of one engine, has accepted */
export function placeOf(
  setting: unknown,
  { projectDir, state_dir }: Pick<Settings, 'projectDir' | 'state_dir'>,
): WarehousePlace {
  const kind = kindOf(setting);
  const engine = kind.address(setting, projectDir);
  return {
    warehouse: kind.remote === null ? resolve(projectDir, String(setting)) : join(state_dir, CATALOGUE_FILE),
    engine,
  };
}

/** The engine that an accepted setting names; a path is one of DuckDB. */
function kindOf(setting: unknown): EngineKind {
  const named = typeof setting === 'object' && setting !== null ? (setting as { engine: string }) : undefined;
  return engineKind(named ?? { engine: 'duckdb' });
}

/** Every setting, as crawlhouse.yaml writes it; its texts are the reference and the editor's help. */
export const SettingsFile = settingsFile(WarehouseSetting);
