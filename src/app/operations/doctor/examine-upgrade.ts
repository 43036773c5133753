import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, ident, table, text } from '../../../core/duckdb/duckdb.ts';
import { tableColumns } from '../../../core/duckdb/table-columns.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { createModel } from '../../../etl/engines/duckdb/duckdb-models.ts';
import { type ModelSettings, projectModels } from '../../../etl/engines/project-models.ts';
import { isInCatalog } from '../../../etl/engines/registry.ts';
import { martFigures, movedTables, movedText } from '../../../etl/pipeline/transform/build/mart-figures.ts';
import type { MovedFigures } from '../../../etl/project/model/runs/unit-report.ts';
import type { Model } from '../../../etl/project/sql/models/model.ts';
import {
  changedDefinitions,
  changeText,
  diffContract,
  type MartChange,
  readContract,
} from '../../../etl/project/sql/plan/mart-contract.ts';
import { planModels } from '../../../etl/project/sql/plan/plan-models.ts';
import { keptContract } from '../../../etl/state/catalog/ops/ops-contract.ts';
import { publicationOf } from '../../../etl/state/catalog/ops/ops-publication.ts';
import { type PublishedPlace, readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import { CATALOG, FILE_OPTIONS, WAREHOUSE_VERSION } from '../../../etl/state/catalog/schema.ts';

/** The changes that the next run of this version would make, found without changing anything. */
export interface Upgrade {
  /** Versions of the tables of `ops`; null if nothing is published. */
  readonly warehouse: { readonly from: number; readonly to: number } | null;
  /** Versions of the contract of `mart`. */
  readonly contract: { readonly from: number; readonly to: number } | null;
  readonly mart: readonly MartChange[];
  /** Figures of `mart` that change, from the current data; null if the rows are in another engine. */
  readonly moved: readonly MovedFigures[] | null;
}

type UpgradeSettings = PublishedPlace & ModelSettings & { readonly state_dir: string };

export async function examineUpgrade(settings: UpgradeSettings): Promise<Upgrade> {
  const contract = await readContract();
  const models = await projectModels(settings);
  const found = await readPublished(settings, async (connection) => {
    const { version } = await publicationOf(connection, CATALOG);
    const kept = await keptContract(connection, version);
    const changed = changedDefinitions(kept, contract, models);
    const tables = Object.keys(contract.tables);
    const moved = isInCatalog(settings)
      ? changed && (await movedFigures(connection, settings, { models, changed, tables }))
      : undefined;
    return { version, kept, moved: moved === undefined ? null : (moved ?? []) };
  });
  if (found === undefined) return { warehouse: null, contract: null, mart: [], moved: [] };
  return {
    warehouse: { from: found.version, to: WAREHOUSE_VERSION },
    contract: { from: found.kept.version, to: contract.version },
    mart: diffContract(found.kept, contract, models),
    moved: found.moved,
  };
}

interface Changes {
  readonly models: readonly Model[];
  readonly changed: ReadonlySet<string>;
  readonly tables: readonly string[];
}

/** Builds the models again from the published rows, in a separate file. */
async function movedFigures(
  connection: Connection,
  settings: UpgradeSettings,
  { models, changed, tables }: Changes,
): Promise<MovedFigures[]> {
  const before = await martFigures(connection, connection, tables);
  await makeFolder(settings.state_dir);
  const folder = await mkdtemp(join(settings.state_dir, 'upgrade-'));
  try {
    await connection.run(`ATTACH ${text(join(folder, 'upgrade.duckdb'))} AS upgrade (${FILE_OPTIONS})`);
    const sources = await tableColumns(connection, ['raw', 'ops']);
    for (const schema of ['raw', 'ops', 'mart'])
      await connection.run(`CREATE SCHEMA ${table('upgrade', schema)}`);
    for (const source of sources.keys()) {
      const name = source.split('.');
      await connection.run(
        `CREATE VIEW ${table('upgrade', ...name)} AS SELECT * FROM ${table(CATALOG, ...name)}`,
      );
    }
    await connection.run('USE upgrade');
    const plan = await planModels({ connection, models });
    for (const planned of plan) await createModel(connection, planned);
    return movedTables(before, await martFigures(connection, connection, tables), changed, plan);
  } finally {
    await connection.run(`USE ${ident(CATALOG)}`);
    await connection.run('DETACH DATABASE IF EXISTS upgrade');
    await rm(folder, { recursive: true, force: true });
  }
}

export function describeUpgrade({ warehouse, mart, moved }: Upgrade): string {
  if (warehouse === null) return 'nothing is published yet, so an upgrade changes nothing\n';
  const { from, to } = warehouse;
  const first =
    from < to
      ? `the next run upgrades the warehouse from version ${from} to ${to}, and keeps the current file next to it`
      : `the warehouse has version ${to}, the current version`;
  const rest = mart.length === 0 ? ['mart keeps its tables, columns and meanings'] : mart.map(changeText);
  const figures =
    moved === null
      ? ['the rows are in another engine, so the first run reports the figures that change']
      : moved.map(movedText);
  return `${[first, ...rest, ...figures].join('\n')}\n`;
}
