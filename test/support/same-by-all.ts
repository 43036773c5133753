import { expect } from 'vitest';
import type { Connection } from '../../src/core/duckdb/duckdb.ts';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { differences, published, type RunOptions, rawProjectFolder, runProject } from './project.ts';
import { temporaryConnection, temporaryFolder } from './temporary.ts';

/** Ways that need no store. */
export const STREAMED = [
  { route: 'stream', format: 'json' },
  { route: 'stream', format: 'csv' },
  // The format that the fields allow.
  { route: 'stream' },
  { route: 'search' },
] as const;
/** Data exports to both stores in every format. */
export const EXPORTED = (['store_a', 'store_b'] as const).flatMap((store) =>
  (['parquet', 'json', 'csv'] as const).map((format) => ({ route: 'export', format, store }) as const),
);

/** Loads the datasets in each of the ways into a warehouse of its own, and holds the others against the first. */
export async function sameByAll(
  sandbox: Sandbox,
  datasets: readonly string[],
  ways: readonly RunOptions[],
): Promise<Connection> {
  const connection = await temporaryConnection(await temporaryFolder());
  const loaded: { way: RunOptions; folder: string }[] = [];
  for (const way of ways) {
    const folder = await rawProjectFolder();
    const result = await runProject(folder, sandbox, { ...way, pipelines: datasets });
    expect([way, result.errors]).toEqual([way, []]);
    const units = result.report.units;
    expect([way, units.length > 0, units.every((unit) => unit.status === 'loaded')]).toEqual([
      way,
      true,
      true,
    ]);
    if (way.route) expect(new Set(units.map((unit) => unit.route))).toEqual(new Set([way.route]));
    loaded.push({ way, folder });
  }
  const [first] = loaded;
  for (const { way, folder } of loaded) {
    for (const dataset of datasets) {
      const rows = await differences(connection, first?.folder ?? '', folder, dataset);
      expect([way, dataset, rows]).toEqual([way, dataset, 0n]);
      const types = `SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = 'raw' AND table_name = '${dataset}' ORDER BY 1`;
      expect(await published(connection, folder, types)).toEqual(
        await published(connection, first?.folder ?? '', types),
      );
    }
  }
  return connection;
}
