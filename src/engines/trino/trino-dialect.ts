import type { Dialect } from '../engine.ts';
import { literal } from './client/literal.ts';
import { RelationNames } from './client/relation-names.ts';
import { translateSql } from './translate-sql.ts';

export class TrinoDialect implements Dialect {
  readonly translate = translateSql;
  readonly #names: RelationNames;

  constructor(schemaPrefix: string) {
    this.#names = new RelationNames(schemaPrefix);
  }

  reader(relation: string): string {
    return this.#names.reader(relation);
  }

  contains(columns: Parameters<Dialect['contains']>[0], text: string): string {
    const texts = columns.map(({ name, type }) =>
      // Trino has no text of a list, and another one of a DOUBLE.
      type.endsWith('[]') || type === 'DOUBLE'
        ? `json_format(CAST(${name} AS JSON))`
        : `CAST(${name} AS varchar)`,
    );
    return `strpos(lower(concat_ws(chr(31), ARRAY[${texts.join(', ')}])), lower(${literal(text)})) > 0`;
  }

  slice(offset: number, limit: number): string {
    return `OFFSET ${offset} LIMIT ${limit}`;
  }
}
