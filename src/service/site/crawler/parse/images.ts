import { spellUrl, webUrl } from '../../../../core/net/web-url.ts';
import { attribute, type Element } from './tree.ts';

/** Images that a page is recorded with; more are counted. */
export const MOST_IMAGES = 200;
const LONGEST_URL = 2_000;
const LONGEST_TEXT = 300;

/** An image of a page, as the field `images` has it. */
export interface PageImage {
  /** Null for one without an address of http or https, such as a `data:` URL, or with one of more than 2,000 characters. */
  readonly url: string | null;
  /** Null: it has no attribute of that name. */
  readonly alt: string | null;
  /** The attributes as they stand, also `100%`. */
  readonly width: string | null;
  readonly height: string | null;
  readonly loading: string | null;
  /** Bytes after content-encoding; null where it was not loaded. */
  readonly size: number | null;
}

/** An `img` of the document, before its address is resolved. */
export type DocumentImage = ReturnType<typeof documentImage>;

export function documentImage(element: Element) {
  const cut = (name: string): string | null => attribute(element, name)?.slice(0, LONGEST_TEXT) ?? null;
  return {
    src: attribute(element, 'src'),
    alt: cut('alt'),
    width: cut('width'),
    height: cut('height'),
    loading: cut('loading')?.toLowerCase() ?? null,
  };
}

/** @param base what addresses of the page are resolved against */
export function pageImages(images: readonly DocumentImage[], base: string): PageImage[] {
  return images.map(({ src, ...image }) => ({ url: address(src, base), ...image, size: null }));
}

function address(src: string | null, base: string): string | null {
  if (src === null || src.trim() === '') return null;
  const url = webUrl(src, base);
  const spelled = url === null ? null : spellUrl(url);
  return spelled === null || spelled.length > LONGEST_URL ? null : spelled;
}
