import { stringify } from 'yaml';
import type { Dictionary, DictionaryTable } from './dictionary.ts';

const SCHEMAS = {
  raw: "Data as the service exports them, under the service's own names of columns.",
  mart: 'Models of crawlhouse.',
} as const;

/** A file of sources for dbt (1.8 and later): the tables of `raw` and `mart`, their columns, and tests of their keys. */
export function renderDbtSources({ tables }: Dictionary, contractVersion: number): string {
  const sources = Object.entries(SCHEMAS).map(([schema, words]) => ({
    name: schema,
    schema,
    description: schema === 'mart' ? `${words} Contract of version ${contractVersion}.` : words,
    tables: tables.filter(({ name }) => name.startsWith(`${schema}.`)).map(sourceTable),
  }));
  return stringify({ version: 2, sources }, { lineWidth: 0 });
}

function sourceTable({ name, description, columns, grain }: DictionaryTable): object {
  const key = grain?.length === 1 ? grain[0] : null;
  return {
    name: name.split('.')[1],
    ...(description === null ? {} : { description: oneLine(description) }),
    columns: columns
      // One that stands for others, which only a published warehouse knows.
      .filter((column) => !column.name.endsWith('*'))
      .map((column) => ({
        name: column.name,
        // Names that dbt would otherwise leave unquoted, such as a reserved word.
        quote: true,
        ...(column.description ? { description: oneLine(column.description) } : {}),
        ...(column.type === null ? {} : { data_type: column.type }),
        ...(column.name === key ? { data_tests: ['unique', 'not_null'] } : {}),
      })),
  };
}

/** Without Jinja, which dbt would run in a description. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\{(?=[{%#])/g, '{ ')
    .trim();
}
