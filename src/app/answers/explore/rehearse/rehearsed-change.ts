import type { ChangeName } from './rehearsed-pages.ts';

/** A change of a website that is rehearsed. */
export interface RehearsedChange {
  readonly kind: 'robots';
  /** The name of the file. */
  readonly given: string;
  readonly content: string;
}

/** A page whose links the crawl's robot does not follow after the change. */
export interface ChangedPage {
  /** `indexable`, or the reason why it is not; null: unknown, because the crawl did not read the page. */
  readonly state: string | null;
}

/** A URL that the change itself affects. */
export interface ChangedUrl {
  readonly url: string;
  readonly change: ChangeName;
  /** Robots that the change affects. */
  readonly agents: readonly string[];
  /** Their verified hits; null: unknown. */
  readonly hits: number | null;
}
