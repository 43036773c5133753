/** Types that a column of an ingest file can have, the narrowest first. */
const PATTERNS = {
  bool: /^(true|false)$/i,
  natural: /^(0|[1-9]\d*)$/,
  float: /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i,
  date: /^\d{4}-\d\d-\d\d$/,
} as const;
type Narrow = keyof typeof PATTERNS;

/** The narrowest type that all values of a column have; empty cells have none, and a column of them is `string`. */
export class FieldType {
  readonly #possible = new Set(Object.keys(PATTERNS) as Narrow[]);
  #seen = false;

  see(value: string): void {
    if (value === '') return;
    this.#seen = true;
    for (const type of this.#possible) if (!fits(value, type)) this.#possible.delete(type);
  }

  get name(): string {
    const [first] = this.#possible;
    return this.#seen && first !== undefined ? first : 'string';
  }
}

function fits(value: string, type: Narrow): boolean {
  if (!PATTERNS[type].test(value)) return false;
  if (type !== 'date') return true;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
