import type { Node, ParentNode } from '../../src/site/crawler/parse/tree.ts';

const PREFIXES: Readonly<Record<string, string>> = {
  'http://www.w3.org/2000/svg': 'svg ',
  'http://www.w3.org/1998/Math/MathML': 'math ',
};

/** A document as html5lib's tests of tree construction write it. */
export function treeText(root: ParentNode): string {
  const lines: string[] = [];
  const write = (nodes: readonly Node[], depth: number): void => {
    const add = (text: string, deeper = 0): void => {
      lines.push(`| ${'  '.repeat(depth + deeper)}${text}`);
    };
    for (const node of nodes) {
      if (node.nodeName === '#documentType' && 'publicId' in node) {
        const { name, publicId, systemId } = node;
        add(`<!DOCTYPE ${name}${publicId || systemId ? ` "${publicId}" "${systemId}"` : ''}>`);
      } else if ('data' in node) add(`<!-- ${node.data} -->`);
      else if ('value' in node) add(`"${node.value}"`);
      else if ('tagName' in node) {
        add(`<${PREFIXES[node.namespaceURI] ?? ''}${node.tagName}>`);
        const attributes = node.attrs.map(({ prefix, name, value }): [string, string] => [
          prefix ? `${prefix} ${name}` : name,
          value,
        ]);
        for (const [name, value] of attributes.toSorted(([a], [b]) => (a < b ? -1 : 1)))
          add(`${name}="${value}"`, 1);
        if ('content' in node) {
          add('content', 1);
          write(node.content.childNodes, depth + 2);
        }
        write(node.childNodes, depth + 1);
      }
    }
  };
  write(root.childNodes, 0);
  return lines.join('\n');
}
