import { z } from 'zod';
import { address, Given } from '../../core/text/setting-types.ts';

/** Search Console keeps 16 months. */
const MOST_DAYS = 500;

/** The setting `search_console`. */
export const SearchConsoleSettings = z.strictObject({
  property: Given.optional().describe(
    'The property to read, such as sc-domain:example.com; none: the one that covers the website.',
  ),
  days: z
    .int()
    .positive()
    .max(MOST_DAYS)
    .default(90)
    .describe('How many days back a first sync reaches; Search Console keeps 16 months.'),
  endpoint: address('an address is expected')
    .default('https://www.googleapis.com')
    .describe('The address of the API, for tests.'),
});
