import { expect, test } from 'vitest';
import { parsed } from '../../../../support/fetched-page.ts';

const jsonLd = (...blocks: readonly object[]): string =>
  blocks.map((block) => `<script type="application/ld+json">${JSON.stringify(block)}</script>`).join('');

/** The items of a page that lack something, with what they lack. */
const lacking = (html: string): unknown[][] =>
  parsed(html)
    .items.filter(({ valid }) => !valid)
    .map(({ type, missing_properties }) => [type, ...(missing_properties ?? [])]);

const PRODUCT = { '@type': 'Product', name: 'Shoe' };
const RATING = { '@type': 'AggregateRating', ratingValue: 4.5, reviewCount: 12 };
const REVIEW = {
  '@type': 'Review',
  author: { '@type': 'Person', name: 'Ada' },
  reviewRating: { ratingValue: 5 },
};

test.each<[name: string, item: object, missing: readonly string[]]>([
  ['an offer with a price', { ...PRODUCT, offers: { '@type': 'Offer', price: '9.90' } }, []],
  ['a price of nothing', { ...PRODUCT, offers: [{ '@type': 'Offer', price: 0 }] }, []],
  ['a specified price', { ...PRODUCT, offers: { priceSpecification: [{ price: 9.9 }] } }, []],
  [
    'an offer without a price',
    { ...PRODUCT, offers: { '@type': 'Offer', availability: 'InStock' } },
    ['offers.price|priceSpecification.price'],
  ],
  [
    'one of several offers',
    { ...PRODUCT, offers: [{ price: 1 }, {}] },
    ['offers.price|priceSpecification.price'],
  ],
  [
    'offers from a price on',
    { ...PRODUCT, offers: { '@type': 'AggregateOffer', lowPrice: 5 } },
    ['offers.priceCurrency'],
  ],
  ['a rating', { ...PRODUCT, aggregateRating: RATING }, []],
  [
    'a rating without a count',
    { ...PRODUCT, aggregateRating: { ratingValue: 4 } },
    ['aggregateRating.ratingCount|reviewCount'],
  ],
  [
    'a rating without a count of a type that needs nothing',
    { '@type': 'Organization', aggregateRating: { ratingValue: 4 } },
    ['aggregateRating.ratingCount|reviewCount'],
  ],
  ['a review', { ...PRODUCT, review: [REVIEW] }, []],
  ['a review without a rating', { ...PRODUCT, review: { author: 'Ada' } }, ['review.reviewRating']],
  [
    'a review without a name',
    { ...PRODUCT, review: { ...REVIEW, author: { '@type': 'Person' } } },
    ['review.author.name'],
  ],
  ['a rating of nothing', RATING, ['itemReviewed']],
  ['a rating of a thing', { ...RATING, itemReviewed: { '@type': 'Book', name: 'x' } }, []],
  [
    'breadcrumbs',
    {
      '@type': 'BreadcrumbList',
      itemListElement: [
        { '@type': 'ListItem', position: 1, item: { '@id': 'https://site.example/', name: 'Home' } },
        { '@type': 'ListItem', position: 2, name: 'Shoes', item: '/shoes' },
        { '@type': 'ListItem', position: 3, name: 'Red shoes' },
      ],
    },
    [],
  ],
  [
    'breadcrumbs without names, and an address that is not the last one',
    {
      '@type': 'BreadcrumbList',
      itemListElement: [
        { '@type': 'ListItem', position: 1, name: 'Home' },
        { '@type': 'ListItem', position: 2, item: '/shoes' },
      ],
    },
    ['itemListElement.item', 'itemListElement.name|item.name'],
  ],
  [
    'a question without an answer',
    { '@type': 'QAPage', mainEntity: { '@type': 'Question', name: 'Why?', answerCount: 0 } },
    ['mainEntity.acceptedAnswer|suggestedAnswer'],
  ],
  [
    'an answer without a text',
    {
      '@type': 'QAPage',
      mainEntity: {
        '@type': 'Question',
        name: 'Why?',
        answerCount: 1,
        suggestedAnswer: [{ '@type': 'Answer' }],
      },
    },
    ['mainEntity.suggestedAnswer.text'],
  ],
  [
    'an event somewhere',
    { '@type': 'Event', name: 'x', startDate: '2026-12-01', location: { '@type': 'Place', name: 'Hall' } },
    ['location.address'],
  ],
  ['a recommendation without a rating', { '@type': 'Recommendation', name: 'x' }, []],
  ['a feed of data', { '@type': 'DataFeed', name: 'x' }, []],
  ['a picture without a license', { '@type': 'ImageObject', contentUrl: '/a.png' }, []],
  ['a policy of returns by a link', { '@type': 'MerchantReturnPolicy', merchantReturnLink: '/returns' }, []],
  [
    'a policy of returns without a country',
    {
      '@type': 'MerchantReturnPolicy',
      returnPolicyCategory: 'https://schema.org/MerchantReturnNotPermitted',
    },
    ['applicableCountry|merchantReturnLink'],
  ],
  [
    'a policy of returns within days, without their number',
    {
      '@type': 'MerchantReturnPolicy',
      applicableCountry: 'DE',
      returnPolicyCategory: 'https://schema.org/MerchantReturnFiniteReturnWindow',
      returnPolicySeasonalOverride: { returnPolicyCategory: { '@id': 'MerchantReturnFiniteReturnWindow' } },
    },
    ['merchantReturnDays', 'returnPolicySeasonalOverride.merchantReturnDays'],
  ],
  [
    'a policy of returns within days',
    {
      '@type': 'MerchantReturnPolicy',
      applicableCountry: 'DE',
      returnPolicyCategory: 'MerchantReturnFiniteReturnWindow',
      merchantReturnDays: 0,
    },
    [],
  ],
  [
    'a policy of returns for an offer',
    { ...PRODUCT, offers: { price: 1, hasMerchantReturnPolicy: { returnPolicyCategory: 'x' } } },
    ['offers.hasMerchantReturnPolicy.applicableCountry|merchantReturnLink'],
  ],
  [
    'a loyalty program',
    {
      '@type': 'MemberProgram',
      name: 'x',
      description: 'y',
      hasTiers: [{ '@type': 'MemberProgramTier', name: 'z' }],
    },
    ['hasTiers.hasTierBenefit'],
  ],
  ['FAQs, which are no longer shown', { '@type': 'FAQPage' }, []],
  ['a car, which is a product only by name', { '@type': 'Car', name: 'x' }, []],
  [
    'a car that is a product too',
    { '@type': ['Car', 'Product'], name: 'x' },
    ['offers|review|aggregateRating'],
  ],
  ['a video game alone', { '@type': 'VideoGame', name: 'x' }, []],
  [
    'a video game that is an app',
    { '@type': ['VideoGame', 'MobileApplication'], name: 'x' },
    ['offers', 'aggregateRating|review'],
  ],
  [
    'the aliases of the context',
    { type: 'Product', id: '#x', name: 'Shoe' },
    ['offers|review|aggregateRating'],
  ],
])('required properties of %s', (_name, item, missing) => {
  expect(
    parsed(jsonLd({ '@context': 'https://schema.org', ...item })).items[0]?.missing_properties ?? [],
  ).toEqual(missing);
});

test.each<[name: string, blocks: readonly object[], missing: unknown[][]]>([
  [
    'a profile by mainEntityOfPage',
    [
      {
        '@graph': [
          { '@type': 'ProfilePage', '@id': '/ada' },
          { '@type': 'Person', '@id': '#ada', name: 'Ada', mainEntityOfPage: { '@id': '/ada' } },
        ],
      },
    ],
    [],
  ],
  [
    'a profile that its person names by an address',
    [
      { '@type': 'ProfilePage', '@id': '/ada' },
      { '@type': 'Person', name: 'Ada', mainEntityOfPage: '/ada' },
    ],
    [],
  ],
  [
    'a review that its product names',
    [
      { ...PRODUCT, review: { '@id': '#review' } },
      { ...REVIEW, '@id': '#review' },
    ],
    [],
  ],
  [
    'a product that its review names',
    [
      { ...PRODUCT, '@id': '#shoe' },
      { ...REVIEW, itemReviewed: { '@id': '#shoe' } },
    ],
    [],
  ],
  ['a product that has its review by @reverse', [{ ...PRODUCT, '@reverse': { itemReviewed: REVIEW } }], []],
  [
    'the policy and the program of a shop',
    [
      {
        '@type': 'OnlineStore',
        hasMerchantReturnPolicy: { '@type': 'MerchantReturnPolicy', applicableCountry: 'DE' },
        hasMemberProgram: [{ '@type': 'MemberProgram', name: 'x', description: 'y' }],
      },
    ],
    [
      ['MerchantReturnPolicy', 'returnPolicyCategory|merchantReturnLink'],
      ['MemberProgram', 'hasTiers'],
    ],
  ],
  [
    'a part elsewhere on the page',
    [
      { ...PRODUCT, offers: { '@id': '#offer' } },
      { '@type': 'Offer', '@id': '#offer' },
    ],
    [['Product', 'offers.price|priceSpecification.price']],
  ],
  ['a part on another page', [{ ...PRODUCT, offers: { '@id': 'https://other.example/#offer' } }], []],
  [
    'a rating that its product names',
    [
      { ...PRODUCT, aggregateRating: { '@id': '#r' } },
      { ...RATING, '@id': '#r' },
    ],
    [],
  ],
])('%s', (_name, blocks, missing) => {
  expect(lacking(jsonLd(...blocks))).toEqual(missing);
});

test('top-level microdata and RDFa items count, and an element without a type only groups', () => {
  const types = (html: string) => parsed(html).items.map(({ type, valid }) => [type, valid]);
  const within = [
    ['WebPage', true],
    ['Product', false],
  ];
  expect(
    types(
      '<div itemscope itemtype=https://schema.org/WebPage><p itemprop=mainEntity itemscope itemtype=https://schema.org/Product></p></div>',
    ),
  ).toEqual(within);
  expect(
    types('<div vocab=https://schema.org typeof=WebPage><p property=mainEntity typeof=Product></p></div>'),
  ).toEqual(within);
  expect(
    types('<div itemscope><p itemprop=x itemscope itemtype=https://schema.org/Person></p></div>'),
  ).toEqual([
    [null, true],
    ['Person', true],
  ]);
});

test('types of a context or of a value are not types of the page', () => {
  const { page } = parsed(
    jsonLd({
      '@context': ['https://schema.org', { about: { '@type': '@vocab' }, day: { '@type': 'xsd:date' } }],
      '@type': 'Article',
      datePublished: { '@type': 'xsd:date', '@value': '2026-11-28' },
    }),
  );
  expect(page.semantic_types).toEqual(['Article']);
});
