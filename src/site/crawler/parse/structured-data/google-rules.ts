/**
 * What Google requires of structured data, as of November 2026. The pages are those of the search gallery:
 * https://developers.google.com/search/docs/appearance/structured-data/search-gallery. Each type names its page there.
 * `loyalty-program` and `return-policy`, which are not in the gallery, were last read on 2026-11-29.
 *
 * Features that Google no longer shows have no requirements: FAQ, how-to, fact check, practice problem, learning video,
 * vehicle listing, estimated salary, course info, special announcement, book actions, math solver. Features that
 * require nothing also have no requirements here (article, organization, speakable, paywalled content). Neither does
 * the license of an image, which only concerns images that have one.
 */

/**
 * Requirements of an object. A requirement is a property, or alternatives as `a|b`. A property of a part is
 * `part.property`; `*` after a requirement exempts the last object of a list.
 */
export interface Requirements {
  readonly required: readonly string[];
  /** Limits the requirement: `required` only if `property` has the value, an address or its last part. */
  readonly conditions?: readonly Readonly<Record<'property' | 'value' | 'required', string>>[];
  /** Requirements of the objects that are values of a property. */
  readonly parts?: Readonly<Record<string, PartRequirements>>;
}

/** Requirements of a part by its type; those of `*` apply to other types and without a type. */
export type PartRequirements = Readonly<Record<string, Requirements>>;

const NOTHING: Requirements = { required: [] };
const NAMED: PartRequirements = { '*': { required: ['name'] } };

/** review-snippet: ratings and reviews of an item of any type. */
const RATED: Readonly<Record<string, PartRequirements>> = {
  aggregateRating: { '*': { required: ['ratingValue', 'ratingCount|reviewCount'] } },
  review: {
    '*': {
      required: ['author', 'reviewRating'],
      parts: { author: NAMED, reviewRating: { '*': { required: ['ratingValue'] } } },
    },
  },
};
export const EVERY_TYPE: Requirements = { required: [], parts: RATED };

/** return-policy: a period in days has their number. */
const WITHIN_DAYS = {
  property: 'returnPolicyCategory',
  value: 'MerchantReturnFiniteReturnWindow',
  required: 'merchantReturnDays',
};
/** return-policy: a link, or the country and the category. */
const RETURNED: Requirements = {
  required: ['applicableCountry|merchantReturnLink', 'returnPolicyCategory|merchantReturnLink'],
  conditions: [WITHIN_DAYS],
  parts: {
    returnPolicySeasonalOverride: { '*': { required: ['returnPolicyCategory'], conditions: [WITHIN_DAYS] } },
  },
};

/** product-snippet, software-app; merchant-listing for the policy of returns. */
const OFFERED: Readonly<Record<string, PartRequirements>> = {
  offers: {
    AggregateOffer: { required: ['lowPrice', 'priceCurrency'] },
    '*': {
      required: ['price|priceSpecification.price'],
      parts: { hasMerchantReturnPolicy: { '*': RETURNED } },
    },
  },
};

/** discussion-forum */
const POSTED: readonly string[] = ['author', 'datePublished', 'text|image|video|sharedContent'];
const COMMENTED: PartRequirements = { '*': { required: POSTED, parts: { author: NAMED } } };

/** qapage */
const ANSWERED: PartRequirements = { '*': { required: ['text'] } };

/**
 * By type. A type that is not listed has the requirements of its nearest parents, or else none. `NOTHING` marks a type
 * that Google uses differently from its parent, or not at all.
 */
export const GOOGLE_RULES: Readonly<Record<string, Requirements>> = {
  // review-snippet
  AggregateRating: {
    required: ['itemReviewed', 'ratingValue', 'ratingCount|reviewCount'],
    parts: { itemReviewed: NAMED },
  },
  // breadcrumb
  BreadcrumbList: {
    required: ['itemListElement'],
    parts: { itemListElement: { '*': { required: ['position', 'name|item.name', 'item*'] } } },
  },
  // product-snippet: "Car" needs the type "Product" too.
  Car: NOTHING,
  ClaimReview: NOTHING,
  // course
  Course: { required: ['name', 'description'] },
  CourseInstance: NOTHING,
  // dataset: a feed is a means of exchange, and not a data set that Google shows.
  DataFeed: NOTHING,
  Dataset: { required: ['name', 'description'] },
  // discussion-forum
  DiscussionForumPosting: { required: POSTED, parts: { author: NAMED, comment: COMMENTED } },
  // event
  Event: {
    required: ['name', 'startDate', 'location'],
    parts: { location: { VirtualLocation: { required: ['url'] }, '*': { required: ['address'] } } },
  },
  HowToSection: NOTHING,
  HowToStep: NOTHING,
  // carousel
  ItemList: { required: ['itemListElement'] },
  // job-posting
  JobPosting: {
    required: [
      'title',
      'description',
      'datePosted',
      'hiringOrganization',
      'jobLocation|applicantLocationRequirements',
    ],
    parts: { hiringOrganization: NAMED, jobLocation: { '*': { required: ['address'] } } },
  },
  // local-business
  LocalBusiness: { required: ['name', 'address'] },
  MediaReview: NOTHING,
  // loyalty-program: the url, the requirement of a tier and its points are recommended.
  MemberProgram: {
    required: ['name', 'description', 'hasTiers'],
    parts: { hasTiers: { '*': { required: ['name', 'hasTierBenefit'] } } },
  },
  // return-policy
  MerchantReturnPolicy: RETURNED,
  // movie
  Movie: { required: ['name', 'image'] },
  OfferCatalog: NOTHING,
  // product-snippet
  Product: { required: ['name', 'offers|review|aggregateRating'], parts: OFFERED },
  // product-variants
  ProductGroup: { required: ['name'] },
  // profile-page
  ProfilePage: { required: ['mainEntity'], parts: { mainEntity: NAMED } },
  // qapage
  QAPage: {
    required: ['mainEntity'],
    parts: {
      mainEntity: {
        '*': {
          required: ['name', 'answerCount', 'acceptedAnswer|suggestedAnswer'],
          parts: { acceptedAnswer: ANSWERED, suggestedAnswer: ANSWERED },
        },
      },
    },
  },
  PublicationEvent: NOTHING,
  // recipe
  Recipe: { required: ['name', 'image'] },
  // review-snippet: a recommendation has no rating.
  Recommendation: NOTHING,
  Review: {
    required: ['author', 'itemReviewed', 'reviewRating'],
    parts: { author: NAMED, itemReviewed: NAMED, reviewRating: { '*': { required: ['ratingValue'] } } },
  },
  // software-app
  SoftwareApplication: { required: ['name', 'offers', 'aggregateRating|review'], parts: OFFERED },
  UserInteraction: NOTHING,
  // vacation-rental
  VacationRental: {
    required: ['containsPlace', 'identifier', 'image', 'latitude|geo', 'longitude|geo', 'name'],
    parts: { containsPlace: { '*': { required: ['occupancy'] } } },
  },
  // software-app: "VideoGame" needs another type too.
  VideoGame: NOTHING,
  // video
  VideoObject: {
    required: ['name', 'thumbnailUrl', 'uploadDate'],
    parts: {
      hasPart: { Clip: { required: ['name', 'startOffset', 'url'] } },
      publication: { BroadcastEvent: { required: ['isLiveBroadcast', 'startDate'] } },
    },
  },
};

/**
 * Properties of a value that equal another property of the item in the opposite direction (schema.org, `inverseOf`, and
 * Google's pages).
 */
export const INVERSES: Readonly<Record<string, string>> = {
  aggregateRating: 'itemReviewed',
  itemOffered: 'offers',
  itemReviewed: 'review',
  mainEntity: 'mainEntityOfPage',
  mainEntityOfPage: 'mainEntity',
  offers: 'itemOffered',
  review: 'itemReviewed',
  reviews: 'itemReviewed',
};
