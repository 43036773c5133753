import { lookUp } from '../../../core/look-up.ts';
import type { Item } from './item.ts';

/**
 * What a type must have for search engines to use it: the properties that Google lists as required, where it lists any.
 * Alternatives are joined by `|`; one of them is enough. A type that is not here requires nothing.
 *
 * Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, the page of each feature,
 * as of November 2026.
 */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  BreadcrumbList: ['itemListElement'],
  Course: ['name', 'description'],
  Dataset: ['name', 'description'],
  DiscussionForumPosting: ['author', 'datePublished', 'text|image|video'],
  Event: ['name', 'startDate', 'location'],
  FAQPage: ['mainEntity'],
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
  Product: ['name', 'offers|review|aggregateRating'],
  ProfilePage: ['mainEntity'],
  QAPage: ['mainEntity'],
  Recipe: ['name', 'image'],
  Review: ['author', 'itemReviewed', 'reviewRating'],
  SoftwareApplication: ['name', 'offers', 'aggregateRating|review'],
  VideoObject: ['name', 'thumbnailUrl', 'uploadDate'],
};

/** The properties that an item's types require and it lacks, alternatives as `a|b`. Empty values count as lacking. */
export function missingProperties(item: Item, types: readonly string[]): string[] {
  const required = new Set(types.flatMap((type) => lookUp(REQUIRED, type) ?? []));
  const has = (name: string): boolean => {
    const value =
      item[name] ??
      item[`schema:${name}`] ??
      item[`https://schema.org/${name}`] ??
      item[`http://schema.org/${name}`];
    return (
      value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
    );
  };
  return [...required].filter((names) => !names.split('|').some(has));
}
