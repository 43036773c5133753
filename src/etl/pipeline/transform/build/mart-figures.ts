import { type Connection, ident, relationTable } from '../../../../core/duckdb/duckdb.ts';
import { tableColumns } from '../../../../core/duckdb/table-columns.ts';
import { isNumber } from '../../../../core/duckdb/type-families.ts';
import type { ModelQueries } from '../../../engines/model-engine.ts';
import type { MovedFigures } from '../../../project/model/runs/unit-report.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';

/**
 * Rows and sums of the numeric columns of tables, by table, then by project. The key of rows without a project is
 * empty.
 */
export type MartFigures = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, number | null>>>>;

/** Adds up each existing table of `mart`, per project. */
export async function martFigures(
  connection: Connection,
  queries: ModelQueries,
  tables: Iterable<string>,
  signal?: AbortSignal,
): Promise<MartFigures> {
  const present = await tableColumns(connection, ['mart']);
  const figures = new Map<string, Map<string, Record<string, number | null>>>();
  for (const table of tables) {
    const columns = present.get(table);
    if (columns === undefined) continue;
    const summed = columns.filter(({ name, type }) => isNumber(type) && !/_(?:id|key)$/.test(name));
    const hasProject = columns.some(({ name }) => name === 'project_id');
    const sums = summed.map(({ name }, at) => `, sum(CAST(${ident(name)} AS DOUBLE)) AS s${at}`);
    const rows = await queries.jsonRows(
      `SELECT ${hasProject ? 'CAST(project_id AS VARCHAR)' : "''"} AS project, count(*) AS n${sums.join('')}
       FROM ${relationTable(table)}${hasProject ? ' GROUP BY CAST(project_id AS VARCHAR)' : ''}`,
      [],
      signal,
    );
    const figuresOf = (row: (typeof rows)[number]): Record<string, number | null> =>
      Object.fromEntries([
        ['rows', Number(row.n)],
        ...summed.map(({ name }, at) => [name, row[`s${at}`] === null ? null : Number(row[`s${at}`])]),
      ]);
    figures.set(table, new Map(rows.map((row) => [String(row.project ?? ''), figuresOf(row)])));
  }
  return figures;
}

/** Rounds a sum. Fractions are summed in any order, so the last digits may differ. */
const rounded = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value.toPrecision(9));

/**
 * Returns the figures that differ. Only tables and columns that exist on both sides are compared.
 *
 * @param changed models with another definition; those that a table is built from are named with it
 */
export function movedTables(
  before: MartFigures,
  after: MartFigures,
  changed: ReadonlySet<string>,
  plan: readonly Pick<PlannedModel, 'model' | 'models'>[],
): MovedFigures[] {
  const reads = new Map(plan.map(({ model, models }) => [model.name, models]));
  return [...before].flatMap(([table, former]) => {
    const present = after.get(table);
    if (present === undefined) return [];
    const columns = new Set([...present.values()].flatMap((one) => Object.keys(one)));
    const projects = [...new Set([...former.keys(), ...present.keys()])].sort();
    return projects.flatMap((project): MovedFigures[] => {
      const [own, now] = [former.get(project), present.get(project)];
      const names = Object.keys(own ?? now ?? {}).filter((name) => columns.has(name) || now === undefined);
      const moved = names
        .map((name) => {
          const none = name === 'rows' ? 0 : null;
          return [
            name,
            { before: rounded(own?.[name] ?? none), after: rounded(now?.[name] ?? none) },
          ] as const;
        })
        .filter(([, figure]) => figure.before !== figure.after);
      if (moved.length === 0) return [];
      const causes = [...lineage(table, reads)].filter((name) => changed.has(name));
      return [{ table, project: project || null, figures: Object.fromEntries(moved), changed: causes }];
    });
  });
}

/** Returns the table and all models that it is built from, nearest first. */
function lineage(table: string, reads: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const found = new Set([table]);
  // Iteration over a set includes items added during it.
  for (const name of found) for (const one of reads.get(name) ?? []) found.add(one);
  return found;
}

export function movedText({ table, project, figures, changed }: MovedFigures): string {
  const shown = (value: number | null): string => (value === null ? 'none' : value.toLocaleString('en-US'));
  const moved = Object.entries(figures).map(
    ([name, { before, after }]) => `${name} ${shown(before)} → ${shown(after)}`,
  );
  const of = project === null ? table : `${table}, project ${project}`;
  const cause = changed.length === 0 ? '' : `; changed definition: ${changed.join(', ')}`;
  return `${of}: ${moved.join(', ')}${cause}`;
}
