import { z } from 'zod';
import { address, Given } from '../../core/text/setting-types.ts';

const EXPECTED = 'an address such as http://proxy.example:3128 is expected';

/** The setting `crawl_proxy`. */
export const CrawlProxySettings = z.strictObject({
  url: address(EXPECTED)
    .refine((text) => /^http:\/\/[^/]+\/?$/i.test(text), EXPECTED)
    .describe('The address of a proxy of HTTP.'),
  username: Given.regex(/^[^:]+$/, 'a name without a colon is expected')
    .optional()
    .describe('The user name for the proxy.'),
  password: z.string().optional().describe('The password for the proxy.'),
});
