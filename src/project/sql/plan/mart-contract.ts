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

export type KeptContract = Pick<MartContract, 'version' | 'tables'>;

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
}

export async function readContract(
  path: string = join(SHIPPED_SQL.path, 'contract.yaml'),
): Promise<MartContract> {
  const source = await readYaml(path, 'sql/contract.yaml', 'bad_model');
  return checkYaml(Contract, source, 'bad_model');
}

/** What went, was renamed or changed its meaning since a former contract; tables that never shipped are left out. */
export function diffContract(former: KeptContract, { tables, changes }: MartContract): MartChange[] {
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

export function changeText({ table, column, change, now, until, says }: MartChange): string {
  const name = column === null ? table : `${table}.${column}`;
  const what = {
    removed: `${name} is gone`,
    renamed: `${name} is now ${now}${until === null ? '' : `, and stays until version ${until} of the contract`}`,
    meaning: `${name} has another meaning`,
  }[change];
  return says === null ? what : `${what}: ${says}`;
}

function hasColumn(columns: readonly string[], name: string): boolean {
  return columns.some((one) => (isWildcard(one) ? name.startsWith(one.slice(0, -1)) : one === name));
}

/** Says once what changed in `mart` since the contract that the working copy was made with, then keeps the present one. */
export async function announceUpgrade(
  connection: Connection,
  models: readonly Pick<Model, 'name'>[],
  logger: Logger,
): Promise<void> {
  const contract = await readContract();
  const former = await keptContract(connection, WAREHOUSE_VERSION);
  for (const change of diffContract(former, contract))
    logger.warn('mart has changed', { stage: 'transform', change: changeText(change) });
  const { version } = contract;
  // Those that the project makes.
  const tables = Object.fromEntries(
    models.flatMap(({ name }) => (contract.tables[name] ? [[name, contract.tables[name]]] : [])),
  );
  if (JSON.stringify({ version, tables }) !== JSON.stringify(former))
    await keepContract(connection, { version, tables });
}
