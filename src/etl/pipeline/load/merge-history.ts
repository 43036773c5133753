import { join } from 'node:path';
import { type Connection, ident, parquetFiles, table, text } from '../../../core/duckdb/duckdb.ts';
import type { RawTablePlan } from '../../state/catalog/raw/raw-table.ts';
import type { RawMetaColumn } from '../../state/catalog/schema.ts';
import type { Package } from './read-package.ts';

const INCOMING = 'incoming_resources';

/**
 * Updates a list of resources and keeps its history. An unchanged record stays; a changed or removed one ends
 * (`_seen_to`); a new one begins (`_seen_from`). Nothing is stored twice. An update contains only new or changed
 * records: all others stay.
 *
 * @returns the number of records that the service lists now
 */
export async function mergeHistory(
  connection: Connection,
  { folder, manifest }: Package,
  plan: RawTablePlan,
  meta: Partial<Record<RawMetaColumn, string>>,
  signal: AbortSignal,
): Promise<number> {
  const { name: unit, update } = manifest;
  const paths = manifest.parts.map((part) => join(folder, part.file));
  const raw = table('raw', manifest.unit.dataset);
  const columns = plan.targets.map((target) => ident(target.column));
  // By content, regardless of the service's order.
  const content = `md5(CAST(to_json([${columns.map((column) => `CAST(${column} AS VARCHAR)`).join(', ')}]) AS VARCHAR))`;
  const values = plan.targets.map(
    (target) => `${target.merged.incoming(ident(target.from))} AS ${ident(target.column)}`,
  );
  const source =
    paths.length === 0
      ? emptySource(raw, columns)
      : `SELECT ${values.join(', ')} FROM ${parquetFiles(paths)}`;
  const isInUpdate = update
    ? `${idOf(plan)} IN (SELECT ${idOf(plan)} FROM ${INCOMING} UNION ALL SELECT unnest(from_json(${text(JSON.stringify(update.gone))}, '["VARCHAR"]')))`
    : 'true';
  const current = `_unit = ${text(unit)} AND _seen_to IS NULL`;
  try {
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE ${INCOMING} AS SELECT *, ${content} AS _content FROM (${source})`,
      [],
      signal,
    );
    await connection.run(
      `UPDATE ${raw} SET _seen_to = ${meta._loaded_at} WHERE ${current} AND ${isInUpdate} AND ${content} NOT IN (SELECT _content FROM ${INCOMING})`,
      [],
      signal,
    );
    const names = [...Object.keys(meta).map(ident), ...columns].join(', ');
    await connection.run(
      `INSERT INTO ${raw} (${names}) SELECT ${[...Object.values(meta), ...columns].join(', ')} FROM ${INCOMING}
       WHERE _content NOT IN (SELECT ${content} FROM ${raw} WHERE ${current})`,
      [],
      signal,
    );
    return Number(await connection.scalar(`SELECT count(*) FROM ${raw} WHERE ${current}`));
  } finally {
    await connection.run(`DROP TABLE IF EXISTS ${INCOMING}`);
  }
}

/** Returns the column of the records' ids. */
function idOf(plan: RawTablePlan): string {
  return ident(plan.targets.find(({ field }) => field === 'id')?.column ?? 'id');
}

/** A list without records has no parts, and so no columns. */
function emptySource(raw: string, columns: readonly string[]): string {
  return `SELECT ${columns.join(', ')} FROM ${raw} LIMIT 0`;
}
