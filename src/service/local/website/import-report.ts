import { ident, table, text } from '../../../core/duckdb/duckdb.ts';
import type { CrawlDataType } from '../../api/resources/fields.ts';
import {
  CLUSTER_FIELDS,
  type CrawlField,
  type CrawlFieldRules,
  ITEM_FIELDS,
  LINK_FIELDS,
  pageFields,
} from '../../site/crawler/jobs/fields.ts';
import { catalogueOf } from '../fields/catalogue-of.ts';
import { type Column, kindOfField, SQL_TYPES } from '../fields/column.ts';
import { fieldRecord } from '../fields/field-record.ts';
import type { Dataset } from '../resources/resources.ts';
import { ServiceRows } from '../rows/row-store.ts';

/** Copies the tables of a crawler's database into the sandbox's rows. */
export async function importReport(
  rows: ServiceRows,
  crawlId: string,
  { database, ...rules }: Omit<CrawlFieldRules, 'hasVitals'> & { readonly database: string },
): Promise<Map<CrawlDataType, Dataset>> {
  const catalog = `report_${crawlId}`;
  return rows.useForImport(async (connection) => {
    await connection.run(`ATTACH ${text(database)} AS ${ident(catalog)} (READ_ONLY)`);
    try {
      const datasets = new Map<CrawlDataType, Dataset>();
      const measured = `SELECT count(cwv_measurement) > 0 FROM ${table(catalog, 'main', 'vitals')}`;
      const hasVitals = (await connection.scalar(measured)) === true;
      const tables: Readonly<Record<CrawlDataType, readonly CrawlField[]>> = {
        pages: pageFields({ ...rules, hasVitals }),
        links: LINK_FIELDS,
        clusters: CLUSTER_FIELDS,
        structured_data: ITEM_FIELDS,
      };
      for (const [dataType, fields] of Object.entries(tables) as [CrawlDataType, readonly CrawlField[]][]) {
        const columns = columnsOf(dataType, fields);
        const cells = columns.map(
          ({ id, kind, field }) => `CAST(${ident(field.name)} AS ${SQL_TYPES[kind]}) AS ${id}`,
        );
        const name = `${dataType}_${crawlId}`;
        await connection.run(
          `CREATE OR REPLACE TABLE ${ServiceRows.table(name)} AS SELECT ${cells.join(', ')} FROM ${table(catalog, 'main', dataType)}`,
        );
        datasets.set(dataType, { table: name, columns });
      }
      return datasets;
    } finally {
      await connection.run(`DETACH ${ident(catalog)}`);
    }
  });
}

function columnsOf(dataType: CrawlDataType, fields: readonly CrawlField[]): Column[] {
  const catalogue = catalogueOf(dataType);
  return fields.map(({ name, type, arity }, index) => {
    const field = catalogue.find((known) => known.name === name) ?? fieldRecord(name, type, arity);
    return { id: `c${index}`, kind: kindOfField(field), field };
  });
}
