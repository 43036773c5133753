import { lookUp } from '../../../../../core/text/look-up.ts';
import { DEEPEST, type Item, isItem } from './item.ts';
import { SUBTYPES } from './schema-types.ts';

/**
 * What a type must have for search engines to use it: the properties that Google lists as required, where it lists any.
 * Alternatives are joined by `|`; one of them is enough. A type that is not here requires what its nearest parents do, and
 * without such nothing. An empty list stands for a type that Google uses in another way than its parent, or not at all.
 *
 * Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, the page of each feature,
 * as of November 2026.
 */
export const RULES: Readonly<Record<string, readonly string[]>> = {
  BreadcrumbList: ['itemListElement'],
  ClaimReview: ['claimReviewed', 'reviewRating', 'url'],
  Course: ['name', 'description'],
  CourseInstance: [],
  Dataset: ['name', 'description'],
  DiscussionForumPosting: ['author', 'datePublished', 'text|image|video'],
  Event: ['name', 'startDate', 'location'],
  FAQPage: ['mainEntity'],
  HowToSection: [],
  HowToStep: [],
  ItemList: ['itemListElement'],
  JobPosting: [
    'title',
    'description',
    'datePosted',
    'hiringOrganization',
    'jobLocation|applicantLocationRequirements',
  ],
  LocalBusiness: ['name', 'address'],
  Movie: ['name', 'image'],
  OfferCatalog: [],
  Product: ['name', 'offers|review|aggregateRating'],
  ProductGroup: ['name'],
  ProfilePage: ['mainEntity'],
  QAPage: ['mainEntity'],
  Recipe: ['name', 'image'],
  Review: ['author', 'itemReviewed', 'reviewRating'],
  SoftwareApplication: ['name', 'offers', 'aggregateRating|review'],
  UserInteraction: [],
  VacationRental: ['containsPlace', 'identifier', 'image', 'latitude|geo', 'longitude|geo', 'name'],
  VideoObject: ['name', 'thumbnailUrl', 'uploadDate'],
};

const PARENTS = new Map<string, string[]>();
for (const [parent, children] of Object.entries(SUBTYPES))
  for (const child of children.split(' ')) PARENTS.set(child, [...(PARENTS.get(child) ?? []), parent]);

/** What a type requires, by its own rules or by those of its nearest parents. */
export function rulesOf(type: string): readonly string[] {
  return lookUp(RULES, type) ?? (PARENTS.get(type) ?? []).flatMap(rulesOf);
}

/** The properties that an item's types require and it lacks, alternatives as `a|b`. Empty values count as lacking. */
export function missingProperties(item: Item, types: readonly string[]): string[] {
  const required = new Set(types.flatMap(rulesOf));
  const has = (name: string): boolean =>
    ['', 'schema:', 'https://schema.org/', 'http://schema.org/'].some(
      (space) => !isEmpty(item[space + name]),
    );
  return [...required].filter((names) => !names.split('|').some(has));
}

/** Objects of JSON-LD that stand for what they hold. */
const HOLDERS = ['@value', '@list', '@set'];

/** Whether a value says nothing: JSON-LD drops nulls, also of lists, and a blank text is no name. */
function isEmpty(value: unknown): boolean {
  const held = (one: unknown): unknown => {
    const holder = isItem(one) ? HOLDERS.find((name) => Object.hasOwn(one, name)) : undefined;
    return isItem(one) && holder !== undefined ? one[holder] : one;
  };
  const values = [value].flat(DEEPEST).map(held).flat(DEEPEST);
  return values.every(
    (one) => one === undefined || one === null || (typeof one === 'string' && one.trim() === ''),
  );
}
