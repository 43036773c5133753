import fc from 'fast-check';
import { MicrodataRdfParser } from 'microdata-rdf-streaming-parser';
import { RdfaParser } from 'rdfa-streaming-parser';
import { expect, test } from 'vitest';
import { parsed } from '../../../../support/fetched-page.ts';

/** A statement of an RDF parser. */
interface Quad {
  readonly subject: { readonly value: string; readonly termType: string };
  readonly predicate: { readonly value: string };
  readonly object: { readonly value: string; readonly termType: string };
}

interface QuadParser {
  on(event: 'data', listener: (quad: Quad) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  write(html: string): unknown;
  end(): unknown;
}

const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const SCHEMA = /^https?:\/\/schema\.org\//;

/** A tree as nested lists: types, then properties with values, in a fixed order. Names of blank nodes differ. */
type Tree = readonly [types: readonly string[], properties: readonly (readonly [string, string | Tree])[]];

function quadsOf(parser: QuadParser, html: string): Promise<Quad[]> {
  return new Promise((resolve, reject) => {
    const quads: Quad[] = [];
    parser.on('data', (quad) => quads.push(quad));
    parser.on('end', () => resolve(quads));
    parser.on('error', reject);
    parser.write(html);
    parser.end();
  });
}

/** The items that statements make: subjects with a type that are no value of another one. */
function treesOf(quads: readonly Quad[]): Tree[] {
  const values = new Set(
    quads.filter(({ object }) => object.termType === 'BlankNode').map(({ object }) => object.value),
  );
  const typed = new Set(
    quads.filter(({ predicate }) => predicate.value === TYPE).map(({ subject }) => subject.value),
  );
  const treeOf = (subject: string): Tree => {
    const own = quads.filter((quad) => quad.subject.value === subject);
    return sorted(
      own
        .filter(({ predicate }) => predicate.value === TYPE)
        .map(({ object }) => object.value.replace(SCHEMA, '')),
      own
        .filter(({ predicate }) => predicate.value !== TYPE)
        .map(({ predicate, object }) => [
          predicate.value.replace(SCHEMA, ''),
          object.termType === 'BlankNode'
            ? treeOf(object.value)
            : object.value.replaceAll(/\s+/g, ' ').trim(),
        ]),
    );
  };
  return ordered([...typed].filter((subject) => !values.has(subject)).map(treeOf));
}

/** The same of what the crawler reads. */
function treesRead(html: string): Tree[] {
  const treeOf = (item: Record<string, unknown>): Tree =>
    sorted(
      [item['@type']].flat().map((type) => String(type).replace(SCHEMA, '')),
      Object.entries(item)
        .filter(([name]) => !name.startsWith('@'))
        .flatMap(([name, value]) =>
          [value]
            .flat()
            .map((one): [string, string | Tree] => [
              name.replace(SCHEMA, ''),
              typeof one === 'object' ? treeOf(one as Record<string, unknown>) : String(one).trim(),
            ]),
        ),
    );
  return ordered(parsed(html).items.map(({ item }) => treeOf(item as Record<string, unknown>)));
}

function sorted(types: readonly string[], properties: readonly (readonly [string, string | Tree])[]): Tree {
  // A set of statements holds each once.
  const once = new Map(properties.map((property) => [JSON.stringify(property), property]));
  return [
    types.toSorted(),
    [...once].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, property]) => property),
  ];
}

function ordered(trees: readonly Tree[]): Tree[] {
  return trees.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Elements that have a value, and where they have it. */
const KINDS = [
  'text',
  'meta',
  'link',
  'time',
  'day',
  'content',
  'image',
  'source',
  'object',
  'bare',
] as const;

interface ItemSpec {
  readonly type: string;
  readonly texts: readonly {
    readonly name: string;
    readonly kind: (typeof KINDS)[number];
    readonly value: string;
  }[];
  readonly nested: readonly { readonly name: string; readonly item: ItemSpec }[];
}

const name = fc.constantFrom('name', 'description', 'author', 'offers', 'review');
const spec = fc.letrec<{ item: ItemSpec }>((tie) => ({
  item: fc.record({
    type: fc.constantFrom('Product', 'Article', 'Person', 'Offer'),
    texts: fc.array(
      fc.record({ name, kind: fc.constantFrom(...KINDS), value: fc.stringMatching(/^[a-z0-9]{1,8}$/) }),
      { maxLength: 4 },
    ),
    nested: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant([]),
      fc.array(fc.record({ name, item: tie('item') }), { maxLength: 2 }),
    ),
  }),
})).item;

function element(property: string, kind: (typeof KINDS)[number], value: string): string {
  const url = `https://site.example/${value}`;
  return {
    text: `<p><b ${property}>${value}</b></p>`,
    meta: `<meta ${property} content="${value}">`,
    link: `<a ${property} href="${url}">x</a>`,
    time: `<time ${property} datetime="${value}">x</time>`,
    day: `<time ${property}>${value}</time>`,
    content: `<span ${property} content="${value}">x</span>`,
    image: `<img ${property} src="${url}">`,
    source: `<video><source ${property} src="/${value}"></video>`,
    object: `<object ${property} data="/${value}"></object>`,
    bare: `<img ${property} data-src="${url}"><a ${property}></a>`,
  }[kind];
}

function microdata({ type, texts, nested }: ItemSpec, property = ''): string {
  const values = texts.map(({ name, kind, value }) => element(`itemprop="${name}"`, kind, value));
  const items = nested.map(({ name, item }) => microdata(item, ` itemprop="${name}"`));
  return `<div itemscope itemtype="http://schema.org/${type}"${property}>${values.join('')}<section>${items.join('')}</section></div>`;
}

function rdfa({ type, texts, nested }: ItemSpec, property = ''): string {
  const values = texts.map(({ name, kind, value }) => element(`property="${name}"`, kind, value));
  const items = nested.map(({ name, item }) => rdfa(item, ` property="${name}"`));
  return `<div typeof="${type}"${property}>${values.join('')}<section>${items.join('')}</section></div>`;
}

test('microdata gives the same items as an independent parser', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(spec, { minLength: 1, maxLength: 2 }), async (items) => {
      const html = `<!DOCTYPE html><body>${items.map((item) => microdata(item)).join('')}</body>`;
      const parser = new MicrodataRdfParser({ baseIRI: 'https://site.example/shop/shoes.html' });
      expect(treesRead(html)).toEqual(treesOf(await quadsOf(parser as unknown as QuadParser, html)));
    }),
    { numRuns: 60 },
  );
});

test('RDFa Lite gives the same items as an independent parser', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(spec, { minLength: 1, maxLength: 2 }), async (items) => {
      const html = `<!DOCTYPE html><body vocab="http://schema.org/">${items.map((item) => rdfa(item)).join('')}</body>`;
      const parser = new RdfaParser({
        baseIRI: 'https://site.example/shop/shoes.html',
        contentType: 'text/html',
      });
      expect(treesRead(html)).toEqual(treesOf(await quadsOf(parser as unknown as QuadParser, html)));
    }),
    { numRuns: 60 },
  );
});
