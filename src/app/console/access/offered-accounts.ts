/** An account of the service that a person typed and has not confirmed yet. */
export interface OfferedAccount {
  readonly baseUrl: string;
  readonly accessToken: string;
}

const KEPT_MS = 600_000;

/** Keeps the last offered account of each person for ten minutes, in memory only. */
export class OfferedAccounts {
  readonly #kept = new Map<string, OfferedAccount & { readonly until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  keep(subject: string, account: OfferedAccount): void {
    this.#kept.set(subject, { ...account, until: this.#now() + KEPT_MS });
  }

  find(subject: string): OfferedAccount | null {
    const kept = this.#kept.get(subject);
    if (kept !== undefined && kept.until > this.#now()) return kept;
    this.#kept.delete(subject);
    return null;
  }

  forget(subject: string): void {
    this.#kept.delete(subject);
  }
}
