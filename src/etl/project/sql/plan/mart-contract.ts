import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { checkYaml, readYaml } from '../../settings/yaml-file.ts';
import type { Model } from '../models/model.ts';
import { SHIPPED_SQL } from '../models/sql-folders.ts';
import { isWildcard } from './wildcard-columns.ts';

const Change = z.strictObject({
  version: z.int().positive(),
  table: z.string(),
  /** Absent if the meaning of the table changed, or the whole table was removed. */
  column: z.string().optional(),
  /** The name that replaced it. */
  now: z.string().optional(),
  /** The version that no longer has the former name. */
  until: z.int().positive().optional(),
  says: z.string(),
});

/** The built-in tables and columns of `mart`, for people who build on them: `sql/contract.yaml`. */
const Contract = z.strictObject({
  version: z.int().positive(),
  changes: z.array(Change),
  /** Names of columns. One that ends in `*` means all columns with that prefix. */
  tables: z.record(z.string(), z.array(z.string())),
});
export type MartContract = z.output<typeof Contract>;

/** The tables of `mart` that a warehouse was made with, and the version of their contract. */
export type KeptContract = Pick<MartContract, 'version' | 'tables'> & {
  /** A hash of each definition; absent in warehouses of earlier programs. */
  readonly definitions?: Record<string, string>;
};

export interface MartChange {
  readonly table: string;
  /** Null for the table itself. */
  readonly column: string | null;
  readonly change: 'removed' | 'renamed' | 'meaning';
  /** The new name, if there is one. */
  readonly now: string | null;
  /** The version of the contract that no longer has the former name; null if it is removed. */
  readonly until: number | null;
  readonly says: string | null;
  /** The tables made from this one, whose figures change with its meaning; none for other changes. */
  readonly reaches: readonly string[];
}

export async function readContract(
  path: string = join(SHIPPED_SQL.path, 'contract.yaml'),
): Promise<MartContract> {
  const source = await readYaml(path, 'sql/contract.yaml', 'bad_model');
  return checkYaml(Contract, source, 'bad_model');
}

/**
 * Returns what was removed, renamed or changed in meaning since an earlier contract. Ignores tables that were never
 * built in.
 */
export function diffContract(
  former: KeptContract,
  { tables, changes }: MartContract,
  models: readonly Pick<Model, 'name' | 'sql'>[],
): MartChange[] {
  const isShipped = (table: string): boolean =>
    Object.hasOwn(tables, table) || changes.some((change) => change.table === table);
  return Object.entries(former.tables)
    .filter(([table]) => isShipped(table))
    .flatMap(([table, columns]): MartChange[] => {
      const present = Object.hasOwn(tables, table) ? (tables[table] ?? []) : null;
      const said = changes.filter((change) => change.table === table && change.version > former.version);
      const entry = (
        column: string | null,
        change: MartChange['change'],
        note: (typeof said)[number] | undefined,
      ): MartChange => ({
        table,
        column,
        change,
        now: note?.now ?? null,
        until: note?.until ?? null,
        says: note?.says ?? null,
        reaches: change === 'meaning' ? readersOf(table, models).filter((name) => former.tables[name]) : [],
      });
      const ofTable = said.filter(({ column }) => column === undefined);
      if (present === null) return [entry(null, ofTable[0]?.now ? 'renamed' : 'removed', ofTable[0])];
      const ofColumns = columns.flatMap((column) => {
        const note = said.find((one) => one.column === column);
        if (note === undefined && hasColumn(present, column)) return [];
        const change = note?.now ? 'renamed' : hasColumn(present, column) ? 'meaning' : 'removed';
        return [entry(column, change, note)];
      });
      return [...ofTable.map((note) => entry(null, 'meaning', note)), ...ofColumns];
    });
}

/** Returns the models that read a table, directly or indirectly, nearest first. */
function readersOf(table: string, models: readonly Pick<Model, 'name' | 'sql'>[]): string[] {
  const reads = models.map(({ name, sql }) => [name, new Set(sql.match(/\bmart\.\w+/g))] as const);
  const found = new Set([table]);
  // Iteration over a set includes items added during it.
  for (const one of found) for (const [name, tables] of reads) if (tables.has(one)) found.add(name);
  return [...found].slice(1);
}

export function changeText({ table, column, change, now, until, says, reaches }: MartChange): string {
  const name = column === null ? table : `${table}.${column}`;
  const what = {
    removed: `${name} was removed`,
    renamed: `${name} is now ${now}${until === null ? '' : `, and stays until version ${until} of the contract`}`,
    meaning: `${name} has a new meaning`,
  }[change];
  const moved = reaches.length === 0 ? '' : `; it reaches ${reaches.join(', ')}`;
  return says === null ? `${what}${moved}` : `${what}: ${says}${moved}`;
}

function hasColumn(columns: readonly string[], name: string): boolean {
  return columns.some((column) =>
    isWildcard(column) ? name.startsWith(column.slice(0, -1)) : column === name,
  );
}

export type Defined = Pick<Model, 'name' | 'kind' | 'sql' | 'incremental'>;

/** Returns a hash of the definition of each model, without its sources. */
export function definitionsOf(models: readonly Defined[]): Record<string, string> {
  return Object.fromEntries(
    models.map(({ name, kind, sql, incremental }) => [
      name,
      hash('md5', JSON.stringify([kind, sql, incremental])),
    ]),
  );
}

/**
 * Returns the models of the contract that a former program defined differently; null if none. If that program recorded
 * no definitions, the entries of the contract since then determine the models.
 */
export function changedDefinitions(
  { version, tables, definitions }: KeptContract,
  contract: Pick<MartContract, 'changes'>,
  models: readonly Defined[],
): ReadonlySet<string> | null {
  const names = Object.keys(tables);
  if (definitions === undefined) {
    const said = contract.changes.filter((change) => change.version > version).map(({ table }) => table);
    return names.length === 0 ? null : new Set(said);
  }
  const present = definitionsOf(models);
  const changed = names.filter((name) => present[name] !== undefined && present[name] !== definitions[name]);
  return changed.length === 0 ? null : new Set(changed);
}
