import { expect, test } from 'vitest';
import { xpathTree } from '../../../../src/site/crawler/custom-fields/xpath-tree.ts';
import { parseHtml } from '../../../../src/site/crawler/parse/parse-html.ts';

test('the tree has the elements, attributes, texts and comments of the page, linked and in order', () => {
  const { root } = parseHtml('<p id="a" class="b">one<!--two--><b>three</b></p>');
  const document = xpathTree(root);
  const html = document.documentElement;
  const [p] = html?.childNodes.at(-1)?.childNodes ?? [];
  expect([document.nodeType, html?.nodeName, html?.parentNode === document]).toEqual([9, 'html', true]);
  expect(p?.childNodes.map((node) => [node.nodeType, node.localName, node.data])).toEqual([
    [3, '#text', 'one'],
    [8, '#comment', 'two'],
    [1, 'b', null],
  ]);
  const [text, comment, b] = p?.childNodes ?? [];
  expect([p?.firstChild === text, text?.nextSibling === comment, comment?.previousSibling === text]).toEqual([
    true,
    true,
    true,
  ]);
  expect([text?.previousSibling, b?.nextSibling, b?.firstChild?.value, b?.parentNode === p]).toEqual([
    null,
    null,
    'three',
    true,
  ]);
  const id = p?.attributes.item?.(0);
  expect([id?.nodeType, id?.nodeName, id?.value, id?.ownerElement === p, id?.parentNode]).toEqual([
    2,
    'id',
    'a',
    true,
    null,
  ]);
  expect(p?.attributes.item?.(2)).toBeUndefined();
  expect([p?.source === null, text?.source, p?.ownerDocument === document, document.ownerDocument]).toEqual([
    false,
    null,
    true,
    null,
  ]);
  expect([text, b, text].map((other) => comment?.compareDocumentPosition(other as never))).toEqual([2, 4, 2]);
  expect(p?.compareDocumentPosition(p)).toBe(0);
});
