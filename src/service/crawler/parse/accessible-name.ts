import { collapsed } from './text.ts';
import { attribute, type Element, isElement, type ParentNode, textContent, tokens, walk } from './tree.ts';

/**
 * The names that attributes give elements of a document (https://www.w3.org/TR/accname-1.2/): the texts of the elements
 * that `aria-labelledby` names, else `aria-label`, else `title`; null without one.
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
      collapsed(attribute(element, 'title') ?? '')
    );
  };
}

/** The title of a drawing, or its `aria-label`. */
export function svgTitle(svg: Element): string | null {
  const title = svg.childNodes.filter(isElement).find(({ tagName }) => tagName === 'title');
  return (
    collapsed(title === undefined ? '' : textContent(title)) ?? collapsed(attribute(svg, 'aria-label') ?? '')
  );
}

/** The first element of each id. */
function elementsById(root: ParentNode): Map<string, Element> {
  const known = new Map<string, Element>();
  walk(root, (node) => {
    const id = isElement(node) ? attribute(node, 'id') : null;
    if (id !== null && isElement(node) && !known.has(id)) known.set(id, node);
    return true;
  });
  return known;
}
