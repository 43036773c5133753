/** The most pages of one listing: with a thousand objects each, more than any export has. */
const MOST_PAGES = 10_000;

/** The tokens that lead from one page of a listing to the next: none leads to a page that came already. */
export class PageTokens {
  readonly #seen = new Set<string>();

  /** @throws Error if a listing repeats itself or does not end */
  take(token: string): void {
    if (this.#seen.has(token)) throw new Error('the listing repeats itself: a page leads to an earlier one');
    this.#seen.add(token);
    if (this.#seen.size > MOST_PAGES) throw new Error(`the listing does not end within ${MOST_PAGES} pages`);
  }
}
