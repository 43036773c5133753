/** What happens to URLs, with titles for people, in the order of the lists. */
export const CHANGES = {
  blocked: 'URLs that a robot may no longer fetch',
  unknown: 'blocked URLs that may have been blocked before',
  allowed: 'URLs that a robot may fetch from now on',
  orphan: 'new orphans: in a sitemap, or with clicks or hits',
  unreachable: 'other pages to which no link leads any more',
  deeper: 'pages that get deeper',
  shallower: 'pages that get less deep',
} as const;
export type UrlChange = keyof typeof CHANGES;
/** Changes that follow from the links. */
export const BY_LINKS: readonly UrlChange[] = ['orphan', 'unreachable', 'deeper', 'shallower'];

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
  readonly change: UrlChange;
  /** Robots that the change affects. */
  readonly agents: readonly string[];
  /** Their verified hits; null: unknown. */
  readonly hits: number | null;
}
