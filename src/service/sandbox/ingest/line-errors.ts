/** Why a line of an ingest file is not taken. */
export type LineProblem = 'missing_url' | 'invalid_url' | 'column_count' | 'malformed_csv';

const MOST_MESSAGES = 10;

/** The lines that were not taken: counted by category, the first few of each told. */
export class LineErrors {
  readonly #counts = new Map<LineProblem, number>();
  readonly #messages = new Map<LineProblem, string[]>();

  add(problem: LineProblem, line: number, message: string): void {
    this.#counts.set(problem, (this.#counts.get(problem) ?? 0) + 1);
    const messages = this.#messages.get(problem) ?? [];
    if (messages.length < MOST_MESSAGES) messages.push(`line ${line}: ${message}`);
    this.#messages.set(problem, messages);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  get counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  get messages(): Record<string, string[]> {
    return Object.fromEntries(this.#messages);
  }
}
