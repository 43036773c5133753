import { expect, test } from 'vitest';
import { linkRecords } from '../../../../../src/site/crawler/parse/parse-page.ts';
import { readDocument } from '../../../../../src/site/crawler/parse/read-document.ts';

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
  [
    '<a href=/x><svg><style>a {}</style><g><text>Basket of <tspan>goods</tspan></text></g></svg></a>',
    'Basket of goods',
  ],
  ['<a href=/x><svg><style>a {}</style></svg></a>', null],
  ['<a href=/x><math><mi>x</mi></math></a>', 'x'],
  ['<a href=/x><span aria-label=Basket></span></a>', 'Basket'],
  ['<a href=/x><img src=i title=Basket></a>', 'Basket'],
  ['<a href=/x><input type=image alt=Basket></a>', 'Basket'],
  ['<a href=/x></a><span aria-label=Basket></span>', null],
])('the text of the link %s is %j', (html, anchor) => {
  const { anchors } = readDocument(`<title>t</title><body>${html}`);
  const resolve = (href: string) => ({ url: `https://site.example${href}`, isInternal: true });
  expect(linkRecords('https://site.example/', anchors, true, resolve)).toMatchObject([{ anchor }]);
});
