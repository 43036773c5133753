/** A change of a website that is rehearsed. */
export type RehearsedChange =
  | {
      readonly kind: 'robots' | 'redirects';
      /** The name of the file. */
      readonly given: string;
      readonly content: string;
    }
  | {
      readonly kind: 'remove' | 'noindex';
      /** An SQL condition on pages. */
      readonly given: string;
    };
type Kind = RehearsedChange['kind'];

/** noindex changes no path. */
const BY_LINKS = ['robots', 'remove', 'redirects'] as const;

/** What happens to URLs, with titles for people and the changes that cause it, in the order of the lists. */
export const CHANGES = {
  blocked: { title: 'URLs that a robot may no longer fetch', by: ['robots'] },
  unknown: { title: 'blocked URLs that may have been blocked before', by: ['robots'] },
  allowed: { title: 'URLs that a robot may fetch from now on', by: ['robots'] },
  removed: { title: 'pages that answer 404 or 410 from now on', by: ['remove'] },
  redirected: { title: 'pages that redirect from now on', by: ['redirects'] },
  not_in_crawl: { title: 'redirecting URLs that are not in the crawl', by: ['redirects'] },
  loop: { title: 'redirects that end in a loop', by: ['redirects'] },
  chain: { title: 'redirects with more than one hop', by: ['redirects'] },
  longer: { title: 'existing redirects that get more hops', by: ['redirects'] },
  target_error: { title: 'redirects to pages that do not answer 200', by: ['redirects'] },
  target_not_indexable: { title: 'redirects to pages that are not indexable', by: ['redirects'] },
  target_unknown: { title: 'redirects to pages whose state is unknown', by: ['redirects'] },
  lost: { title: 'indexable pages that get noindex', by: ['noindex'] },
  kept_out: { title: 'other matching pages, not indexable now', by: ['noindex'] },
  unjudged: {
    title: 'affected pages that the crawl could not judge',
    by: ['remove', 'noindex', 'redirects'],
  },
  orphan: { title: 'new orphans: in a sitemap, or with clicks or hits', by: BY_LINKS, isByLinks: true },
  unreachable: { title: 'other pages to which no link leads any more', by: BY_LINKS, isByLinks: true },
  deeper: { title: 'pages that get deeper', by: BY_LINKS, isByLinks: true },
  shallower: { title: 'pages that get less deep', by: BY_LINKS, isByLinks: true },
  linked: { title: 'pages to which links lead from now on', by: ['redirects'], isByLinks: true },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly by: readonly Kind[]; readonly isByLinks?: true }>
>;
export type UrlChange = keyof typeof CHANGES;

/** A page whose state or links differ after the change. */
export interface ChangedPage {
  /** `indexable`, or the reason why it is not; null: unknown, because the crawl did not read the page. */
  readonly state: string | null;
  /** The pages to which it leads after the change; if absent, the same as before. */
  readonly next?: readonly number[];
  /** Whether the page itself is gone, so that its own depth matters no more. */
  readonly isGone?: true;
}

/** A URL that the change itself affects. */
export interface ChangedUrl {
  readonly url: string;
  readonly change: UrlChange;
  /** Robots that the change affects; null: all. */
  readonly agents: readonly string[] | null;
  /** Their verified hits; null: unknown. If absent, all verified hits of the URL. */
  readonly hits?: number | null;
}

/** What a change does to the URLs of a crawl. */
export interface Effect {
  readonly changed: ReadonlyMap<number, ChangedPage>;
  readonly urls: readonly ChangedUrl[];
  /** What to do with the sitemap entries of a URL. */
  readonly listed: ReadonlyMap<string, string>;
  /** What to do with the links to a URL, and with other references. */
  readonly linked: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}
