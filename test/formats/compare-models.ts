import { type Connection, ident, table } from '../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../src/core/duckdb/table-columns.ts';
import { createModel } from '../../src/etl/engines/duckdb/duckdb-models.ts';
import type { Model } from '../../src/etl/project/sql/models/model.ts';
import { changeText, diffContract, type MartContract } from '../../src/etl/project/sql/plan/mart-contract.ts';
import { type PlannedModel, planModels } from '../../src/etl/project/sql/plan/plan-models.ts';
import type { FormerModels } from './former-models.ts';

type Row = Readonly<Record<string, unknown>>;

/** What differs between two tables of the same name. */
interface Difference {
  /** Null: one has rows that the other has not. */
  readonly column: string | null;
  readonly shown: string;
}

/** A build writes them, not the SQL. */
const OF_BUILDS: readonly string[] = ['_load_id', '_loaded_at'];
/** They tell the rows of a view apart, whose header has no grain. */
const IDENTIFYING: readonly string[] = ['crawl_id', 'project_id', 'url', 'segmentation', 'segment', 'issue'];
/** Sums of fractions run in any order, so that the last digits differ. */
const DIGITS = 6;

/**
 * Builds the models of a former version and of this one on the same rows, and lists what differs without an entry in
 * `changes` of the contract.
 *
 * A table needs an entry of its own where its own definition moves it. What other tables move is carried on by the
 * lineage (`reaches` of `doctor --upgrade`). The former definition, on the tables of this version, tells the two apart.
 *
 * @param rows the database that has `raw` and `ops`
 */
export async function unsaidChanges(
  connection: Connection,
  rows: string,
  {
    former,
    models,
    contract,
  }: { readonly former: FormerModels; readonly models: readonly Model[]; readonly contract: MartContract },
): Promise<string[]> {
  await buildOn(connection, rows, { database: 'present', models });
  const plan = await buildOn(connection, rows, { database: 'former', models: former.models });
  const names = new Set(models.map(({ name }) => name));
  const isSaid = (name: string, column: string | null): boolean =>
    contract.changes.some(
      (one) =>
        one.version > former.contract &&
        one.table === name &&
        (one.column === undefined || one.column === column),
    );
  const tables = Object.fromEntries(former.models.map(({ name, columns }) => [name, [...columns.keys()]]));
  const gone = diffContract({ version: former.contract, tables }, contract, models)
    .filter(({ says }) => says === null)
    .map(changeText);
  const moved: string[] = [];
  await makeDatabase(connection, rows, 'redefined');
  await connection.run('USE present');
  for (const planned of plan) {
    const { name } = planned.model;
    if (!names.has(name)) {
      // Former definitions still read it.
      await connection.run(`CREATE TABLE ${nameIn('present', name)} AS FROM ${nameIn('former', name)}`);
      continue;
    }
    const differences = await differencesOf(connection, planned.model, ['former', 'present']);
    const unsaid = differences.filter(({ column }) => !isSaid(name, column));
    const own = unsaid.length === 0 ? [] : await redefinedColumns(connection, planned);
    for (const { column, shown } of unsaid)
      if (own === 'any' || own.includes(column))
        moved.push(`${name}${column === null ? '' : `.${column}`}: ${shown}`);
  }
  return [...gone, ...moved];
}

/**
 * The columns that the former definition gives other values from the tables of this version, with null for other rows;
 * any where it reads what is there no more.
 */
async function redefinedColumns(
  connection: Connection,
  { model, sql }: PlannedModel,
): Promise<readonly (string | null)[] | 'any'> {
  const isMade = await connection.run(`CREATE TABLE ${nameIn('redefined', model.name)} AS ${sql}`).then(
    () => true,
    () => false,
  );
  if (!isMade) return 'any';
  return (await differencesOf(connection, model, ['redefined', 'present'])).map(({ column }) => column);
}

/** Builds all models as tables: a chain of views would be computed again by each table that reads its end. */
async function buildOn(
  connection: Connection,
  rows: string,
  { database, models }: { readonly database: string; readonly models: readonly Model[] },
): Promise<readonly PlannedModel[]> {
  await makeDatabase(connection, rows, database);
  await connection.run(`USE ${ident(database)}`);
  const plan = await planModels({ connection, models: models.map((model) => ({ ...model, tests: [] })) });
  for (const planned of plan)
    await createModel(connection, {
      ...planned,
      model: { ...planned.model, kind: 'table', incremental: null },
    });
  return plan;
}

/** A database in memory that reads the rows of another one. */
async function makeDatabase(connection: Connection, rows: string, database: string): Promise<void> {
  await connection.run(`USE ${ident(rows)}`);
  const sources = await tableColumns(connection, ['raw', 'ops']);
  await connection.run(`ATTACH ':memory:' AS ${ident(database)}`);
  for (const schema of ['raw', 'ops', 'mart'])
    await connection.run(`CREATE SCHEMA ${table(database, schema)}`);
  for (const source of sources.keys())
    await connection.run(`CREATE VIEW ${nameIn(database, source)} AS FROM ${nameIn(rows, source)}`);
}

const nameIn = (database: string, name: string): string => table(database, ...name.split('.'));

/** The differences in the columns that both tables have. */
async function differencesOf(
  connection: Connection,
  { name, grain }: Pick<Model, 'name' | 'grain'>,
  [before, after]: readonly [string, string],
): Promise<Difference[]> {
  const former = await columnsOf(connection, nameIn(before, name));
  const present = await columnsOf(connection, nameIn(after, name));
  const shared = [...former.keys()].filter((column) => present.has(column) && !OF_BUILDS.includes(column));
  const value = (column: string): string => {
    const [type, other] = [former.get(column), present.get(column)];
    if (type !== other) return `CAST(${ident(column)} AS VARCHAR)`;
    return type === 'DOUBLE' ? `round(${ident(column)}, ${DIGITS})` : ident(column);
  };
  const columns = shared.map((column) => `${value(column)} AS ${ident(column)}`).join(', ');
  const onlyIn = (one: string, other: string): Promise<Row[]> =>
    connection.jsonRows(
      `(SELECT ${columns} FROM ${nameIn(one, name)}) EXCEPT ALL (SELECT ${columns} FROM ${nameIn(other, name)})`,
    );
  const [gone, come] = [await onlyIn(before, after), await onlyIn(after, before)];
  if (gone.length + come.length === 0) return [];
  const keys = grain?.every((column) => shared.includes(column))
    ? grain
    : shared.filter((column) => IDENTIFYING.includes(column));
  return compareRows(gone, come, { keys, columns: shared });
}

function compareRows(
  gone: readonly Row[],
  come: readonly Row[],
  { keys, columns }: { readonly keys: readonly string[]; readonly columns: readonly string[] },
): Difference[] {
  const keyOf = (row: Row): string => JSON.stringify(Object.fromEntries(keys.map((key) => [key, row[key]])));
  const byKey = Map.groupBy(come, keyOf);
  const lost: Row[] = [];
  const examples = new Map<string, string[]>();
  for (const row of gone) {
    const now = byKey.get(keyOf(row))?.shift();
    if (now === undefined) lost.push(row);
    for (const column of now === undefined ? [] : columns) {
      const [was, is] = [row, now].map((one) => JSON.stringify(one?.[column]));
      if (was !== is)
        examples.set(column, [...(examples.get(column) ?? []), `${was} → ${is} of ${keyOf(row)}`]);
    }
  }
  const added = [...byKey.values()].flat();
  const shown = `${lost.length} rows only before, ${added.length} only now, such as`;
  return [
    ...(lost.length + added.length === 0
      ? []
      : [{ column: null, shown: `${shown} ${JSON.stringify(lost[0] ?? added[0])}` }]),
    ...[...examples].map(([column, all]) => ({
      column,
      shown: `${all.length} rows differ, such as ${all[0]}`,
    })),
  ];
}

/** The columns of a table, with their types. */
async function columnsOf(connection: Connection, name: string): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${name}`);
  return new Map(rows.map((row) => [row.column_name, row.column_type]));
}
