import { plainTarget } from '../target.ts';

/** A case without an end, for the tests of the program that plays targets. */
export const endless = plainTarget({ name: 'endless', seeds: ['endless'], words: [] }, () => {
  for (;;);
});
