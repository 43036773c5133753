import { createHash } from 'node:crypto';
import { columnType, type Field } from '../model/field.ts';
import type { PackageColumn } from '../model/manifest.ts';

/**
 * The columns of a package while it grows: fields are added as headers and keys show them, whole numbers widen when a
 * value beyond 2^63 comes.
 */
export class PackageColumns {
  readonly #catalogue: ReadonlyMap<string, Field>;
  readonly #present = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #widened = new Set<string>();

  /** @param catalogue the fields that the service's schema knows, in its order */
  constructor(catalogue: readonly Field[]) {
    this.#catalogue = new Map(catalogue.map((field) => [field.name, field]));
  }

  /** Takes note of names that a header or the keys of rows have; true when one was new. */
  add(names: readonly string[]): boolean {
    const before = this.#present.size;
    const inOrder = [...this.#catalogue.keys()].filter((name) => names.includes(name));
    const unknown = names.filter((name) => !this.#catalogue.has(name)).sort();
    const fresh = [...inOrder, ...unknown].filter((name) => !this.#present.has(name));
    const columns = new Map<string, string>();
    // A name in lower case, as the specification's are, keeps its own before one that differs from it only in case.
    for (const name of [...fresh.filter(isLower), ...fresh.filter((one) => !isLower(one))]) {
      const column = freeName(name, this.#taken);
      this.#taken.add(column.toLowerCase());
      columns.set(name, column);
    }
    for (const name of fresh) this.#present.set(name, columns.get(name) ?? name);
    return this.#present.size > before;
  }

  addCatalogue(): void {
    this.add([...this.#catalogue.keys()]);
  }

  widen(name: string): void {
    this.#widened.add(name);
  }

  isWidened(name: string): boolean {
    return this.#widened.has(name);
  }

  /** A name that the schema doesn't know is loaded as JSON. */
  field(name: string): Field {
    return this.#catalogue.get(name) ?? { name, type: 'unknown', arity: 'one' };
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
      };
    });
  }
}

function isLower(name: string): boolean {
  return name === name.toLowerCase();
}

/**
 * A column name that none of `taken` (lower case) equals but for its case, which DuckDB does not tell apart: the
 * field's own, or with a mark made from its exact spelling.
 */
function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name.toLowerCase())) return name;
  return `${name}~${createHash('sha256').update(name).digest('hex').slice(0, 6)}`;
}
