import { z } from 'zod';
import { type Connection, given } from '../../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';

const PointerRow = z.strictObject({
  relation: z.string(),
  unit: z.string(),
  load: z.string().nullable(),
  madeFrom: z.string().nullable(),
});

/** Names the load whose rows count for a unit, in a store outside the catalog. */
export interface Pointer {
  /** `raw.crawl_pages` */
  readonly relation: string;
  /** A unit, the key of a partition, or empty for a relation with a single entry. */
  readonly unit: string;
  /** Null if there are no rows. */
  readonly load: string | null;
  /** A hash of the rows, or the definition of a view, as JSON. */
  readonly madeFrom?: string | null;
}

/** The unit of the pointer that names the readers' view of a relation. */
export const DEFINITION = 'definition';

const GIVEN = `(SELECT ${given('$1', ['relation', 'unit', 'load', 'madeFrom'])})`;

export async function readPointers(
  connection: Connection,
  relation?: string,
): Promise<readonly Required<Pointer>[]> {
  return typedRows(
    PointerRow,
    await connection.rows(
      `SELECT relation, unit, load_id AS load, made_from AS "madeFrom" FROM ops.pointers
       WHERE $1 IS NULL OR relation = $1`,
      [relation ?? null],
    ),
  );
}

/** Sets pointers, replacing those of the same units. */
export async function setPointers(connection: Connection, pointers: readonly Pointer[]): Promise<void> {
  if (pointers.length === 0) return;
  const given = [JSON.stringify(pointers)];
  await connection.run(
    `DELETE FROM ops.pointers WHERE EXISTS (
       SELECT 1 FROM ${GIVEN} AS given WHERE given.relation = pointers.relation AND given.unit = pointers.unit)`,
    given,
  );
  await connection.run(
    `INSERT INTO ops.pointers SELECT relation, unit, load, "madeFrom" FROM ${GIVEN} WHERE load IS NOT NULL`,
    given,
  );
}

/** Returns the number of loaded units without a pointer. Their rows are in another engine. */
export async function countLoadsWithout(connection: Connection): Promise<number> {
  const found = await connection.scalar(
    `SELECT count(*) FROM ops.loads WHERE source_kind <> 'resource' AND loaded > 0 AND unit NOT IN (
       SELECT unit FROM ops.pointers)`,
  );
  return Number(found);
}

/** Returns pointers that remove the rows of units. */
export function without(relation: string, units: readonly string[]): Pointer[] {
  return units.map((unit) => ({ relation, unit, load: null }));
}
