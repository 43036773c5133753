import { expect, test } from 'vitest';
import { linkRecords } from '../../../../src/service/crawler/parse/links.ts';
import { readDocument } from '../../../../src/service/crawler/parse/read-document.ts';

test.each([
  ['<a href=/x aria-label="Basket of goods"><svg></svg></a>', 'Basket of goods'],
  ['<a href=/x title=Basket><i></i></a>', 'Basket'],
  ['<a href=/x><svg><title>Basket</title><path /></svg></a>', 'Basket'],
  ['<a href=/x><svg aria-label=Basket></svg></a>', 'Basket'],
  ['<a href=/x aria-labelledby="two one">​</a><b id=one>goods</b><b id=two>Basket of</b>', 'Basket of goods'],
  ['<a href=/x aria-label=Label>Text</a>', 'Text'],
  ['<a href=/x aria-label=Label><img src=i alt=Alt></a>', 'Alt'],
  ['<a href=/x aria-label=Label title=Title><img src=i alt=""></a>', 'Label'],
  ['<a href=/x aria-labelledby=none aria-label=" "></a>', null],
  ['<a href=/x><svg><text>drawn</text></svg></a>', null],
])('the text of the link %s is %j', (html, anchor) => {
  const { anchors } = readDocument(`<title>t</title><body>${html}`);
  const resolve = (href: string) => ({ url: `https://site.example${href}`, isInternal: true });
  expect(linkRecords('https://site.example/', anchors, true, resolve)).toMatchObject([{ anchor }]);
});
