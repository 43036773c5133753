import { spellUrl, webUrl } from '../../../core/net/web-url.ts';
import { attribute, type Element, type ParentNode } from './tree.ts';

/** Recorded images of a page; further ones are only counted. */
export const MOST_IMAGES = 200;
const LONGEST_URL = 2_000;
const LONGEST_TEXT = 300;

/** An entry of the field `images`. */
export interface PageImage {
  /**
   * Null for one without an address of http or https, such as a `data:` URL, or with one of more than 2,000 characters.
   */
  readonly url: string | null;
  /** Null: it has no such attribute. */
  readonly alt: string | null;
  /** The attributes as written, also `100%`. */
  readonly width: string | null;
  readonly height: string | null;
  readonly loading: string | null;
  /** Bytes after content-encoding; null if it was not loaded. */
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

/** Elements around an image that are checked. */
const MOST_AROUND = 64;

/** Returns whether an image needs no text: by its role, or because it is hidden from screen readers. */
export function isDecoration(image: Element): boolean {
  const role = attribute(image, 'role')?.trim().toLowerCase();
  if (role === 'presentation' || role === 'none') return true;
  let around: ParentNode | null = image;
  for (let level = 0; around !== null && 'attrs' in around && level < MOST_AROUND; level++) {
    if (attribute(around, 'aria-hidden')?.trim().toLowerCase() === 'true') return true;
    around = around.parentNode;
  }
  return false;
}

/** @param base of relative addresses of the page */
export function pageImages(images: readonly DocumentImage[], base: string): PageImage[] {
  return images.map(({ src, ...image }) => ({ url: address(src, base), ...image, size: null }));
}

function address(src: string | null, base: string): string | null {
  if (src === null || src.trim() === '') return null;
  const url = webUrl(src, base);
  const spelled = url === null ? null : spellUrl(url);
  return spelled === null || spelled.length > LONGEST_URL ? null : spelled;
}
