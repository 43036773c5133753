import type { Oql } from '../../api/oql/oql.ts';
import type { FieldRecord } from '../../api/resources/fields.ts';
import type { Column } from '../fields/column.ts';
import { compileOql } from '../oql/compile-oql.ts';
import type { Document } from '../resources/resources.ts';
import { checkPatterns } from './dataset-query.ts';
import type { ServiceRows } from './row-store.ts';

/** The documents that match, in their order: the same SQL as for rows, so that OQL means the same everywhere. */
export async function filterDocuments(
  rows: ServiceRows,
  documents: readonly Document[],
  oql: Oql,
  fields: ReadonlyMap<string, FieldRecord>,
): Promise<readonly Document[]> {
  const columns = [...fields.values()].map(
    (field, index): Column => ({ id: `c${index}`, kind: 'json', field }),
  );
  const byName = new Map(columns.map((column) => [column.field.name, column]));
  const condition = compileOql(oql, byName, 'filters');
  const values = columns.map(
    ({ id, field }) => `nullif(CAST(json_extract(doc, '/${field.name}') AS VARCHAR), 'null') AS ${id}`,
  );
  const slim = documents.map((doc) =>
    Object.fromEntries([...fields.keys()].map((name) => [name, doc[name]])),
  );
  const docs = `SELECT unnest(json_extract($${condition.values.length + 1}::JSON, '$[*]')) AS doc`;
  const sql = `SELECT CAST(${condition.sql} AS BOOLEAN) AS matches FROM (SELECT ${values.join(', ')} FROM (${docs}))`;
  return rows.use(async (connection) => {
    await checkPatterns(connection, condition);
    const found = await connection.rows<{ matches: boolean }>(sql, [
      ...condition.values,
      JSON.stringify(slim),
    ]);
    return documents.filter((_, index) => found[index]?.matches === true);
  });
}
