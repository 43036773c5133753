import { stringify } from 'yaml';
import type { DataTest } from '../../../etl/project/sql/models/data-tests.ts';
import { OPS_KEYS, UNIT_OF_ROW } from '../../../etl/state/catalog/descriptions/ops-tables.ts';
import type { Dictionary, DictionaryColumn, DictionaryTable } from './dictionary.ts';

const SCHEMAS = {
  raw: 'Data exported from the service, with the column names of the service.',
  mart: 'Models of crawlhouse.',
  ops: 'Records of runs, loads and publications.',
} as const;

export interface DbtOptions {
  /** The name of the warehouse's catalog in dbt. */
  readonly database: string;
  readonly contractVersion: number;
  readonly tests: ReadonlyMap<string, readonly DataTest[]>;
  /** The maximum hours between two scheduled runs of each dataset that a schedule loads. */
  readonly hours: ReadonlyMap<string, number>;
}

/** Columns that reference a row of another table, with that table and its source table in `raw`. */
const REFERENCES: Readonly<Record<string, readonly [to: string, field: string, from: string]>> = {
  crawl_id: ['mart.crawls', 'crawl_id', 'raw.crawls'],
  project_id: ['mart.projects', 'project_id', 'raw.projects'],
};

/** Renders a sources file for dbt (1.10.5 and later, for `arguments`): tables with columns, tests and freshness. */
export function renderDbtSources({ tables }: Dictionary, options: DbtOptions): string {
  const present = new Set(tables.map(({ name }) => name));
  const sources = Object.entries(SCHEMAS).map(([schema, words]) => ({
    name: schema,
    database: options.database,
    schema,
    description: schema === 'mart' ? `${words} Contract of version ${options.contractVersion}.` : words,
    tables: tables
      .filter(({ name }) => name.startsWith(`${schema}.`))
      .map((table) => sourceTable(table, rulesOf(table, present, options), options)),
  }));
  return stringify({ version: 2, sources }, { lineWidth: 0, aliasDuplicateObjects: false });
}

type Rule = Partial<Omit<DataTest['declared'], 'name'>>;

/** Returns the tests of a table: those of its model, keys of `ops`, and references to other tables. */
function rulesOf(
  { name, columns }: DictionaryTable,
  present: ReadonlySet<string>,
  { tests }: DbtOptions,
): readonly Rule[] {
  const [schema, own = ''] = name.split('.');
  const names = columns.map((column) => column.name);
  const key = schema === 'ops' ? OPS_KEYS.get(own) : undefined;
  const isOfUnits = schema === 'raw' && names.includes('_unit') && !names.includes('_seen_to');
  const references = Object.entries(schema === 'mart' ? REFERENCES : {}).flatMap(
    ([column, [to, field, from]]) =>
      names.includes(column) && to !== name && present.has(from) ? [{ column, to, field }] : [],
  );
  return [
    ...(tests.get(name) ?? []).map(({ declared }) => declared),
    ...(key === undefined ? [] : [{ not_null: key }, { unique: [key] }]),
    ...(isOfUnits ? [{ not_null: '_unit' }] : []),
    ...(isOfUnits ? [UNIT_OF_ROW, ...references] : references).map((relationships) => ({ relationships })),
  ];
}

function sourceTable(table: DictionaryTable, rules: readonly Rule[], options: DbtOptions): object {
  const { name, description, columns, rows } = table;
  const [schema = '', own = ''] = name.split('.');
  const tests = rules.flatMap((rule) => dbtTest(own, rule));
  const ofTable = tests.filter(({ column }) => column === null).map(({ test }) => test);
  return {
    name: own,
    ...(description === null ? {} : { description: oneLine(description) }),
    // dbt treats a table without rows as very old.
    ...(schema === 'raw' && rows !== 0 ? freshnessOf(columns, options.hours.get(own)) : {}),
    ...(ofTable.length > 0 ? { data_tests: ofTable } : {}),
    columns: columns
      // A pattern that stands for several columns; only a published warehouse has their names.
      .filter((column) => !column.name.endsWith('*'))
      .map((column) => {
        const ofColumn = tests.filter((test) => test.column === column.name).map(({ test }) => test);
        return {
          name: column.name,
          // dbt would otherwise leave names such as reserved words unquoted.
          quote: true,
          ...(column.description ? { description: oneLine(column.description) } : {}),
          ...(column.type === null ? {} : { data_type: column.type }),
          ...(ofColumn.length > 0 ? { data_tests: ofColumn } : {}),
        };
      }),
  };
}

/**
 * Warns after 1.5 times the wait between two runs, and fails after 3 times. Rows of a list of resources keep the time
 * of their last change, so a list has no freshness.
 */
function freshnessOf(columns: readonly DictionaryColumn[], hours: number | undefined): object {
  const names = columns.map(({ name }) => name);
  if (!names.includes('_loaded_at') || names.includes('_seen_to')) return {};
  const after = (times: number) => ({ count: Math.ceil((hours ?? 0) * times), period: 'hour' });
  return {
    loaded_at_field: '_loaded_at',
    ...(hours === undefined ? {} : { freshness: { warn_after: after(1.5), error_after: after(3) } }),
  };
}

/** Returns a rule as a dbt test of a column or, with null, of the table; null if dbt has no generic test for it. */
function dbtTest(table: string, test: Rule): { readonly column: string | null; readonly test: unknown }[] {
  const config = test.severity === 'warn' ? { config: { severity: 'warn' } } : {};
  const of = (column: string, kind: string, values: object = {}) => {
    const all = { ...(Object.keys(values).length === 0 ? {} : { arguments: values }), ...config };
    return [{ column, test: Object.keys(all).length === 0 ? kind : { [kind]: all } }];
  };
  if (test.not_null !== undefined) return of(test.not_null, 'not_null');
  if (test.accepted_values !== undefined) {
    const { column, values } = test.accepted_values;
    return of(column, 'accepted_values', { values });
  }
  if (test.relationships !== undefined) {
    const { column, to, field } = test.relationships;
    const [schema, name] = to.split('.');
    return of(column, 'relationships', { to: `source('${schema}', '${name}')`, field });
  }
  const [first, ...others] = test.unique ?? [];
  if (first === undefined) return [];
  if (others.length === 0) return of(first, 'unique');
  const key = [first, ...others];
  const name = `unique_mart_${table}_${key.join('_')}`;
  const columns = key.map((one) => `"${one}"`).join(', ');
  return [
    { column: null, test: { unique: { name, arguments: { column_name: `(${columns})` }, ...config } } },
  ];
}

/** Removes Jinja, which dbt would run in a description. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\{(?=[{%#])/g, '{ ')
    .trim();
}
