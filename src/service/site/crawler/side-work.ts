/** The work and waits of a crawl besides its pages, in words: the reading of sitemaps, a robots.txt that fails. */
export class SideWork {
  readonly #words = new Map<string, string>();

  get words(): readonly string[] {
    return [...this.#words.values()];
  }

  /** Says what is done now for something, in the place of what was said for it before. */
  say(what: string, words: string): void {
    this.#words.set(what, words);
  }

  end(what: string): void {
    this.#words.delete(what);
  }
}
