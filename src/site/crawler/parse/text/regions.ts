import type { LinkPosition } from '../../records/records.ts';
import { attribute, type Element } from '../tree.ts';

const LANDMARKS: readonly (readonly [role: string, tag: string, position: LinkPosition])[] = [
  ['navigation', 'nav', 'Navigation'],
  ['banner', 'header', 'Header'],
  ['contentinfo', 'footer', 'Footer'],
  ['complementary', 'aside', 'Aside'],
  ['main', 'main', 'Content'],
];
const OF_ROLE = new Map(LANDMARKS.map(([role, , position]) => [role, position]));
const OF_TAG = new Map(LANDMARKS.map(([, tag, position]) => [tag, position]));
/** Within these, a `header` or `footer` belongs to a part of the page. */
const SECTIONING = new Set(['article', 'aside', 'main', 'nav', 'section']);

/**
 * The part of the page at the current position: the nearest enclosing landmark, by `role` or by element, or else
 * `Content`. A `header` or `footer` within an article, section or the like belongs to that and is not a landmark.
 *
 * Source: HTML Accessibility API Mappings, https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings
 */
export class Regions {
  #position: LinkPosition = 'Content';
  #sections = 0;
  #mains = 0;
  readonly #outer: { readonly element: Element; readonly position: LinkPosition }[] = [];

  get position(): LinkPosition {
    return this.#position;
  }

  /** Whether the walk is within the page's `main`. */
  get isMain(): boolean {
    return this.#mains > 0;
  }

  enter(element: Element): void {
    const role = attribute(element, 'role')?.trim().toLowerCase();
    const tag = element.tagName;
    const isOfPart = this.#sections > 0 && (tag === 'header' || tag === 'footer');
    const position = (role && OF_ROLE.get(role)) || (role || isOfPart ? undefined : OF_TAG.get(tag));
    if (SECTIONING.has(tag)) this.#sections++;
    if (position === undefined) return;
    if (isMain(tag, role)) this.#mains++;
    this.#outer.push({ element, position: this.#position });
    this.#position = position;
  }

  leave(element: Element): void {
    if (SECTIONING.has(element.tagName)) this.#sections--;
    const last = this.#outer.at(-1);
    if (last?.element !== element) return;
    if (isMain(element.tagName, attribute(element, 'role')?.trim().toLowerCase())) this.#mains--;
    this.#position = last.position;
    this.#outer.pop();
  }
}

function isMain(tag: string, role: string | undefined): boolean {
  return role === 'main' || (tag === 'main' && !role);
}
