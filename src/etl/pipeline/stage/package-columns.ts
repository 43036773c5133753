import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { DEFAULT_LIMITS, overLimit } from '../../../core/net/download-limits.ts';
import { nameColumns } from '../../project/model/column-name.ts';
import type { Shown } from '../../project/model/download.ts';
import { columnType, type Field, FieldName } from '../../project/model/field.ts';
import type { PackageColumn } from '../../project/model/manifest.ts';
import { refuseForeignNames } from './foreign-rows.ts';

/** The column of a part with the hash of each row. No field's column has its name. */
export const ROW_HASH = '_row_hash';

export interface FieldRules {
  /** Maximum fields of its records. */
  readonly mostFields?: number;
  /** The requested fields that its files must contain. */
  readonly shown?: Shown;
}

/**
 * The columns of a package as it grows. Headers and keys add fields. A column of whole numbers widens at the first
 * value beyond 2^63.
 */
export class PackageColumns {
  readonly #most: number;
  readonly #requested: ReadonlyMap<string, Field>;
  readonly #present = new Map<string, string>();
  readonly #taken = new Set([ROW_HASH]);
  readonly #widened = new Set<string>();
  /** The requested fields that a file must contain. */
  readonly shown: Shown;

  /** @param requested the fields of the service's schema, in its order */
  constructor(
    requested: readonly Field[],
    { mostFields = DEFAULT_LIMITS.fields, shown = 'unknown' }: FieldRules = {},
  ) {
    this.#most = mostFields;
    this.#requested = new Map(requested.map((field) => [field.name, field]));
    this.shown = shown;
  }

  /** The requested fields. */
  get asked(): Field[] {
    return [...this.#requested.values()];
  }

  /** @throws CrawlhouseError `contract_broken` if the names are not the requested ones */
  refuseForeign(names: readonly string[], file: string, hasColumns: boolean): void {
    refuseForeignNames(names, this.asked, this.shown, { name: file, hasColumns });
  }

  /**
   * Records names from a header or the keys of rows. Returns true if one was new.
   *
   * @throws CrawlhouseError `contract_broken` for a name that no column can have, `over_limit` for too many
   */
  add(names: readonly string[]): boolean {
    const before = this.#present.size;
    const inOrder = [...this.#requested.keys()].filter((name) => names.includes(name));
    const unknown = names.filter((name) => !this.#requested.has(name)).sort();
    const fresh = [...inOrder, ...unknown].filter((name) => !this.#present.has(name));
    for (const name of fresh) refuseName(name);
    if (before + fresh.length > this.#most) {
      const all = before + fresh.length;
      throw overLimit(`the rows have ${all} fields, more than the limit of ${this.#most}`, 'fields', {
        hint: 'choose fields with fields.include in the pipeline file',
      });
    }
    const columns = nameColumns(fresh, (column) => !this.#taken.has(column.toLowerCase()));
    for (const column of columns.values()) this.#taken.add(column.toLowerCase());
    for (const name of fresh) this.#present.set(name, columns.get(name) ?? name);
    return this.#present.size > before;
  }

  addRequested(): void {
    this.add([...this.#requested.keys()]);
  }

  widen(name: string): void {
    this.#widened.add(name);
  }

  isWidened(name: string): boolean {
    return this.#widened.has(name);
  }

  /** Returns the field of a name. A name that the schema does not contain is loaded as JSON. */
  field(name: string): Field {
    return this.#requested.get(name) ?? { name, type: 'unknown', arity: 'one' };
  }

  get fields(): Field[] {
    return [...this.#present.keys()].map((name) => this.field(name));
  }

  get columns(): PackageColumn[] {
    return [...this.#present].map(([name, column]) => {
      const field = this.field(name);
      return {
        field: name,
        type: field.type,
        arity: field.arity,
        column,
        sql_type: columnType(field, this.#widened.has(name)),
        ...(field.description === undefined ? {} : { description: field.description }),
      };
    });
  }
}

function refuseName(name: string): void {
  const problem = FieldName.safeParse(name).error?.issues[0]?.message;
  if (problem === undefined) return;
  throw new CrawlhouseError('contract_broken', `the rows have a field ${JSON.stringify(name)}: ${problem}`);
}
