import { ident } from '../../../../core/duckdb/duckdb.ts';
import { literal } from './literal.ts';

/** Names of a warehouse's relations (`raw.crawl_pages`) in Trino, qualified by schema and quoted. */
export class RelationNames {
  readonly #prefix: string;

  /** @param prefix of the schema names; may be empty */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  schema(name: 'store' | 'work' | 'raw' | 'mart' | 'ops'): string {
    return ident(`${this.#prefix}${name}`);
  }

  /** Returns the view for readers. */
  reader(relation: string): string {
    const [schema = '', name = ''] = relation.split('.');
    return `${ident(`${this.#prefix}${schema}`)}.${ident(name)}`;
  }

  /** Returns the writer's view, which includes its own loads. */
  work(relation: string): string {
    return `${this.schema('work')}.${ident(plain(relation))}`;
  }

  /** Returns the table of all rows, visible or not. */
  stored(relation: string): string {
    return `${this.schema('store')}.${ident(plain(relation))}`;
  }

  /** Returns schema and table as values of Trino's catalog, without quotes. */
  storedParts(relation: string): readonly [schema: string, table: string] {
    return [`${this.#prefix}store`, plain(relation)];
  }

  /** SQL of the names of the tables of all rows, and of the pointers: `table_name`. */
  get storedTables(): string {
    return `SELECT table_name FROM information_schema.tables WHERE table_schema = ${literal(`${this.#prefix}store`)}`;
  }

  get visible(): string {
    return `${this.schema('store')}.visible`;
  }

  get candidate(): string {
    return `${this.schema('store')}.candidate`;
  }

  /** Returns SQL of the last pointer of each unit, for readers or for the writer; of all relations by default. */
  lastPointers(of: 'visible' | 'work', relation?: string): string {
    const last = `SELECT * FROM ${this.candidate} WHERE token = (SELECT max(token) FROM ${this.candidate})`;
    const all = of === 'visible' ? '' : ` UNION ALL ${last}`;
    const among = relation === undefined ? 'relation IS NOT NULL' : `relation = ${literal(relation)}`;
    return `SELECT relation, unit, max_by(load_id, seq) AS load_id
      FROM (SELECT * FROM ${this.visible}${all}) AS pointer WHERE ${among} GROUP BY relation, unit`;
  }
}

/** Returns `raw_crawl_pages` for `raw.crawl_pages`. */
function plain(relation: string): string {
  return relation.replace('.', '_');
}
