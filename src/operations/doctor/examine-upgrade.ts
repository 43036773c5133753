import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, ident, table, text } from '../../core/duckdb/duckdb.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { createModel } from '../../engines/duckdb/duckdb-models.ts';
import { type ModelSettings, projectModels } from '../../engines/project-models.ts';
import { isInCatalogue } from '../../engines/registry.ts';
import { martFigures, movedTables, movedText } from '../../pipeline/transform/build/mart-figures.ts';
import type { MovedFigures } from '../../project/model/runs/report.ts';
import type { Model } from '../../project/sql/models/model.ts';
import {
  changedDefinitions,
  changeText,
  diffContract,
  type MartChange,
  readContract,
} from '../../project/sql/plan/mart-contract.ts';
import { planModels } from '../../project/sql/plan/plan-models.ts';
import { tableColumns } from '../../state/catalogue/catalog.ts';
import { keptContract } from '../../state/catalogue/ops/ops-contract.ts';
import { publicationOf } from '../../state/catalogue/ops/ops-publication.ts';
import { type PublishedPlace, readPublished } from '../../state/catalogue/published/read-published.ts';
import { CATALOG, FILE_OPTIONS, WAREHOUSE_VERSION } from '../../state/catalogue/schema.ts';

/** What the next run of this version would change; nothing is changed to find out. */
export interface Upgrade {
  /** Versions of the tables of `ops`; null where nothing is published. */
  readonly warehouse: { readonly from: number; readonly to: number } | null;
  /** Versions of the contract of `mart`. */
  readonly contract: { readonly from: number; readonly to: number } | null;
  readonly mart: readonly MartChange[];
  /** Figures of `mart` that move, from the present data; null where the rows are in another engine. */
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
    const moved = isInCatalogue(settings)
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

/** Builds the models once more, from the published rows, in a file of their own. */
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
      ? `the next run brings the warehouse from version ${from} to ${to}, and keeps the present file beside it`
      : `the warehouse has version ${to}, the present one`;
  const rest = mart.length === 0 ? ['mart keeps its tables, columns and meanings'] : mart.map(changeText);
  const figures =
    moved === null
      ? ['the first run reports the figures that move: the rows are in another engine']
      : moved.map(movedText);
  return `${[first, ...rest, ...figures].join('\n')}\n`;
}
