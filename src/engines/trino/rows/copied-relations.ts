import { createHash } from 'node:crypto';
import { type Connection, ident, table, text } from '../../../core/duckdb/duckdb.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { DEFINITION, type Pointer, readPointers } from '../../../state/catalogue/ops/ops-pointers.ts';

/** As the published catalogue will have them. */
const AS_PUBLISHED: Readonly<Record<string, string>> = {
  'ops.loads': 'SELECT * REPLACE (coalesce(queryable, loaded) AS queryable) FROM ops.loads',
  'ops.publication': 'SELECT * REPLACE (false AS dirty) FROM ops.publication',
};

/** The units of a copied relation that are not as they were copied last. */
interface ChangedCopies {
  /** Without their loads. */
  readonly changed: readonly Pointer[];
  readonly gone: readonly Pointer[];
  /** DuckDB's SQL of the columns' values, of the unit of each row, and what stands after FROM: the changed units. */
  readonly values: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly from: string;
}

export async function changedCopies(connection: Connection, relation: string): Promise<ChangedCopies> {
  const select = lookUp(AS_PUBLISHED, relation) ?? `SELECT * FROM ${table(...relation.split('.'))}`;
  const unit = relation.startsWith('raw.') ? '_unit' : "''";
  const described = await connection.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${select}`);
  const types = createHash('md5').update(JSON.stringify(described)).digest('hex');
  const rows = await connection.rows<{ unit: string; hash: string }>(
    `SELECT ${unit} AS unit, concat_ws(' ', count(*), sum(hash(copied))) AS hash FROM (${select}) AS copied
     GROUP BY ${unit}`,
  );
  const pointers = (await readPointers(connection, relation)).filter((one) => one.unit !== DEFINITION);
  const former = new Map(pointers.map((one) => [one.unit, one.madeFrom]));
  const present = rows.map((one) => ({
    relation,
    unit: one.unit,
    load: null,
    madeFrom: `${one.hash} ${types}`,
  }));
  const changed = present.filter((one) => former.get(one.unit) !== one.madeFrom);
  const units = new Set(rows.map((one) => one.unit));
  const gone = [...former.keys()]
    .filter((one) => !units.has(one))
    .map((one) => ({ relation, unit: one, load: null }));
  const listed = changed.map((one) => text(one.unit)).join(', ') || 'NULL';
  return {
    changed,
    gone,
    values: new Map(described.map(({ column_name }) => [column_name, ident(column_name)])),
    unit,
    from: `(${select}) AS copied WHERE ${unit} IN (${listed})`,
  };
}
