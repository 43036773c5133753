import { join } from 'node:path';
import { ident, parquetFiles, text } from '../../core/duckdb/duckdb.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { RawTablePlan } from '../../state/catalogue/raw-table.ts';
import { RAW_META_COLUMNS, type RawMetaColumn } from '../../state/catalogue/schema.ts';
import type { StagedPackage } from './read-package.ts';

/** SQL of a column's value in all rows of a unit, by column. */
export type MetaValues = Partial<Record<RawMetaColumn, string>>;

/** @param loadedAt ISO 8601 */
export function metaValues(manifest: Manifest, runId: string, loadedAt: string): MetaValues {
  const { source, window } = manifest.unit;
  const at = `CAST(${text(loadedAt)} AS ${RAW_META_COLUMNS._loaded_at})`;
  return {
    _unit: text(manifest.name),
    _source_id: text(source.id),
    ...(source.kind === 'crawl' ? { _crawl_id: text(source.id) } : {}),
    _project_id: source.project_id === null ? 'NULL' : text(source.project_id),
    ...(window ? { _window: text(window.from) } : {}),
    _run_id: text(runId),
    _loaded_at: at,
    ...(source.kind === 'resource'
      ? { _seen_from: at, _seen_to: `CAST(NULL AS ${RAW_META_COLUMNS._seen_to})` }
      : {}),
  };
}

/** SQL of the values of a unit's rows, by column, from the files of its package. */
export function unitValues({ targets }: RawTablePlan, meta: MetaValues): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(meta),
    ...targets.map(({ column, source, merged }) => [column, merged.incoming(ident(source))] as const),
  ]);
}

/** The FROM clause of a package's rows; null if it has none. */
export function partsOf({ folder, manifest: { parts } }: StagedPackage): string | null {
  return parts.length === 0 ? null : parquetFiles(parts.map(({ file }) => join(folder, file)));
}
