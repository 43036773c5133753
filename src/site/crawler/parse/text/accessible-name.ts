import { attribute, type Element, isElement, type ParentNode, textContent, tokens, walk } from '../tree.ts';
import { collapsed } from './text.ts';

/**
 * Returns the names that attributes give elements of a document (https://www.w3.org/TR/accname-1.2/): the texts of the
 * elements that `aria-labelledby` names, else `aria-label`, else the `alt` of an `input`, else `title`; null if there
 * is none.
 */
export function accessibleNames(root: ParentNode): (element: Element) => string | null {
  let known: Map<string, Element> | undefined;
  const byId = (id: string): Element | undefined => {
    known ??= elementsById(root);
    return known.get(id);
  };
  return (element) => {
    const labels = tokens(attribute(element, 'aria-labelledby')).flatMap((id) => byId(id) ?? []);
    return (
      collapsed(labels.map((label) => attribute(label, 'aria-label') ?? textContent(label)).join(' ')) ??
      collapsed(attribute(element, 'aria-label') ?? '') ??
      (element.tagName === 'input' ? collapsed(attribute(element, 'alt') ?? '') : null) ??
      collapsed(attribute(element, 'title') ?? '')
    );
  };
}

/** Returns the name of a drawing by its title or the texts that it draws, and of a formula by its signs. */
export function silentName(element: Element): string | null {
  if (element.tagName === 'math') return collapsed(textContent(element));
  if (element.tagName !== 'svg') return null;
  const title = element.childNodes.filter(isElement).find(({ tagName }) => tagName === 'title');
  if (title !== undefined) return collapsed(textContent(title));
  const texts: string[] = [];
  walk(element, (node) => {
    if (isElement(node) && node.tagName === 'text') texts.push(textContent(node));
    return node.nodeName !== 'text';
  });
  return collapsed(texts.join(' '));
}

function elementsById(root: ParentNode): Map<string, Element> {
  const known = new Map<string, Element>();
  walk(root, (node) => {
    const id = isElement(node) ? attribute(node, 'id') : null;
    if (id !== null && isElement(node) && !known.has(id)) known.set(id, node);
    return true;
  });
  return known;
}
