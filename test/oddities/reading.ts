import { spellUrl, webUrl } from '../../src/core/net/web-url.ts';

/** What a reader has of an oddity; URLs of the site without scheme and host. */
export interface Reading {
  /** The path at which it ends. */
  readonly end: string;
  /** Whether there is a page. */
  readonly isPage: boolean;
  readonly title: string | null;
  /** Its name in the Encoding Standard. */
  readonly encoding: string | null;
  readonly canonical: string | null;
  readonly links: readonly string[];
}

export const NO_PAGE: Reading = {
  end: '',
  isPage: false,
  title: null,
  encoding: null,
  canonical: null,
  links: [],
};

/** A URL in the one spelling, without the site's origin. */
export function ofSite(url: string, origin: string): string | null {
  const parsed = webUrl(url);
  if (parsed === null) return null;
  const spelled = spellUrl(parsed);
  return spelled.startsWith(`${origin}/`) ? spelled.slice(origin.length) : spelled;
}
