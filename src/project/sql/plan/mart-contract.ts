import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { keepContract, keptContract } from '../../../state/catalogue/ops/ops-contract.ts';
import { WAREHOUSE_VERSION } from '../../../state/catalogue/schema.ts';
import { checkYaml, readYaml } from '../../settings/yaml-file.ts';
import type { Model } from '../models/model.ts';
import { SHIPPED_SQL } from '../models/sql-folders.ts';
import { isWildcard } from './wildcard-columns.ts';

const Change = z.strictObject({
  version: z.int().positive(),
  table: z.string(),
  /** Absent: the meaning of the table changed, or the whole table went. */
  column: z.string().optional(),
  /** The name that took its place. */
  now: z.string().optional(),
  /** The version that no longer has the former name. */
  until: z.int().positive().optional(),
  says: z.string(),
});

/** The tables and columns of `mart` that ship, for those who build on them: `sql/contract.yaml`. */
const Contract = z.strictObject({
  version: z.int().positive(),
  changes: z.array(Change),
  /** Names of columns; one that ends in `*` stands for those that begin with it. */
  tables: z.record(z.string(), z.array(z.string())),
});
export type MartContract = z.output<typeof Contract>;

export type KeptContract = Pick<MartContract, 'version' | 'tables'> & {
  readonly definitions?: Record<string, string>;
};

export interface MartChange {
  readonly table: string;
  /** Null for the table itself. */
  readonly column: string | null;
  readonly change: 'removed' | 'renamed' | 'meaning';
  /** The new name, where there is one. */
  readonly now: string | null;
  /** The version of the contract that no longer has the former name; null where it is gone. */
  readonly until: number | null;
  readonly says: string | null;
  /** The tables that are made from this one, whose figures another meaning moves too; none of other changes. */
  readonly reaches: readonly string[];
}

export async function readContract(
  path: string = join(SHIPPED_SQL.path, 'contract.yaml'),
): Promise<MartContract> {
  const source = await readYaml(path, 'sql/contract.yaml', 'bad_model');
  return checkYaml(Contract, source, 'bad_model');
}

/** What went, was renamed or changed its meaning since a former contract; tables that never shipped are left out. */
export function diffContract(
  former: KeptContract,
  { tables, changes }: MartContract,
  models: readonly Pick<Model, 'name' | 'sql'>[],
): MartChange[] {
  const isShipped = (table: string): boolean =>
    Object.hasOwn(tables, table) || changes.some((one) => one.table === table);
  return Object.entries(former.tables)
    .filter(([table]) => isShipped(table))
    .flatMap(([table, columns]): MartChange[] => {
      const present = Object.hasOwn(tables, table) ? (tables[table] ?? []) : null;
      const said = changes.filter((one) => one.table === table && one.version > former.version);
      const entry = (
        column: string | null,
        change: MartChange['change'],
        note: (typeof said)[number] | undefined,
      ): MartChange => ({
        ...{ table, column, change, now: note?.now ?? null },
        ...{ until: note?.until ?? null, says: note?.says ?? null },
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

/** The models that a table is read by, and those that read them, the nearest first. */
function readersOf(table: string, models: readonly Pick<Model, 'name' | 'sql'>[]): string[] {
  const reads = models.map(({ name, sql }) => [name, new Set(sql.match(/\bmart\.\w+/g))] as const);
  const found = new Set([table]);
  // A set is walked with what is added on the way.
  for (const one of found) for (const [name, tables] of reads) if (tables.has(one)) found.add(name);
  return [...found].slice(1);
}

export function changeText({ table, column, change, now, until, says, reaches }: MartChange): string {
  const name = column === null ? table : `${table}.${column}`;
  const what = {
    removed: `${name} is gone`,
    renamed: `${name} is now ${now}${until === null ? '' : `, and stays until version ${until} of the contract`}`,
    meaning: `${name} has another meaning`,
  }[change];
  const moved = reaches.length === 0 ? '' : `; it reaches ${reaches.join(', ')}`;
  return says === null ? `${what}${moved}` : `${what}: ${says}${moved}`;
}

function hasColumn(columns: readonly string[], name: string): boolean {
  return columns.some((one) => (isWildcard(one) ? name.startsWith(one.slice(0, -1)) : one === name));
}

type Defined = Pick<Model, 'name' | 'kind' | 'sql' | 'incremental'>;

/** A hash of the definition of each model, without those that it reads. */
function definitionsOf(models: readonly Defined[]): Record<string, string> {
  return Object.fromEntries(
    models.map(({ name, kind, sql, incremental }) => [
      name,
      hash('md5', JSON.stringify([kind, sql, incremental])),
    ]),
  );
}

/**
 * The models of the contract that a former program defined in another way; null where none did. What it does not say is
 * taken from the entries of the contract since.
 */
export function changedDefinitions(
  { version, tables, definitions }: KeptContract,
  contract: Pick<MartContract, 'changes'>,
  models: readonly Defined[],
): ReadonlySet<string> | null {
  const names = Object.keys(tables);
  if (definitions === undefined) {
    const said = contract.changes.filter((one) => one.version > version).map(({ table }) => table);
    return names.length === 0 ? null : new Set(said);
  }
  const present = definitionsOf(models);
  const changed = names.filter((name) => present[name] !== undefined && present[name] !== definitions[name]);
  return changed.length === 0 ? null : new Set(changed);
}

/**
 * Says once what changed in `mart` since the contract that the working copy was made with, then keeps the present one.
 *
 * @returns the models with another definition; null where there are none
 */
export async function announceUpgrade(
  connection: Connection,
  models: readonly Defined[],
  logger: Logger,
): Promise<ReadonlySet<string> | null> {
  const contract = await readContract();
  const former = await keptContract(connection, WAREHOUSE_VERSION);
  for (const change of diffContract(former, contract, models))
    logger.warn('mart has changed', { stage: 'transform', change: changeText(change) });
  const { version } = contract;
  // Those that the project makes.
  const shipped = models.filter(({ name }) => contract.tables[name]);
  const tables = Object.fromEntries(shipped.map(({ name }) => [name, contract.tables[name] ?? []]));
  const present = { version, tables, definitions: definitionsOf(shipped) };
  if (JSON.stringify(present) !== JSON.stringify(former)) await keepContract(connection, present);
  return changedDefinitions(former, contract, models);
}
